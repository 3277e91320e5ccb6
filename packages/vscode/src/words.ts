import * as vscode from 'vscode'
import type { BlockState, BlockOutcome } from '../../clada/src/ui/protocol.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'

/**
 * Text of a reply or a file in one line of VS Code. It may have line breaks, and characters that hide or turn others;
 * notifications make a link that runs a command of `[text](command:…)`, and lenses a picture of `$(check)`.
 */
export const withoutMarkup = (text: string): string =>
  spellOut(text.replaceAll('\n', ' ⏎ ')).replaceAll('](', '] (').replaceAll('$(', '$ (')

export const blockStateName = (state: BlockState): string =>
  ({
    checking: vscode.l10n.t('being checked'),
    ready: vscode.l10n.t('ready'),
    repaired: vscode.l10n.t('ready, with a warning'),
    part: vscode.l10n.t('ready, a part of the file'),
    approval: vscode.l10n.t('needs your approval'),
    unknown: vscode.l10n.t('depends on a program'),
    refused: vscode.l10n.t('refused'),
    fails: vscode.l10n.t('would fail'),
    broken: vscode.l10n.t('cannot be read'),
    skipped: vscode.l10n.t('skipped'),
    left: vscode.l10n.t('left out'),
  })[state]

export const outcomeName = ({ success, left }: BlockOutcome): string =>
  left === true ? vscode.l10n.t('left out') : success ? vscode.l10n.t('applied') : vscode.l10n.t('failed')
