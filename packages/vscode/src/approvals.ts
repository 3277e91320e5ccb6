import * as vscode from 'vscode'
import { missingSentence, spellOutCommand, triedOutput, triedSentence } from '../../clada/src/report/words.ts'
import type { ApprovalAnswer } from '../../clada/src/core/commands.ts'
import type { Question } from '../../clada/src/ui/protocol.ts'

/** Asks about a command that is not approved. Nothing runs before the answer; a closed question is a no. */
export async function askApproval(question: Question): Promise<ApprovalAnswer> {
  const { about, canTry } = question
  const keep = about === 'tried'
  const answers: readonly (vscode.MessageItem & { readonly answer: ApprovalAnswer })[] = [
    // Enter means the first of those that are no close affordance, so this is none: VS Code adds its own Cancel.
    { title: vscode.l10n.t('No'), answer: 'no' },
    { title: keep ? vscode.l10n.t('Keep') : vscode.l10n.t('Allow once'), answer: 'once' },
    { title: keep ? vscode.l10n.t('Keep, always allow') : vscode.l10n.t('Always'), answer: 'always' },
    ...(canTry ? [{ title: vscode.l10n.t('Try in sandbox'), answer: 'try' } as const] : []),
  ]
  // Modal, so that the whole of a long command is seen before the answer.
  const detail = questionFacts(question).join('\n')
  const asked = await vscode.window.showWarningMessage(wishOf(about), { modal: true, detail }, ...answers)
  return asked?.answer ?? 'no'
}

const wishOf = (about: Question['about']): string =>
  ({
    command: vscode.l10n.t('The reply wants to run a command'),
    network: vscode.l10n.t('The reply wants to run a command with network'),
    tried: vscode.l10n.t('The command ran in the sandbox. Keep its changes?'),
    proposal: vscode.l10n.t('The reply proposes a change'),
  })[about]

function questionFacts(question: Question): string[] {
  const { about, command, program, unsandboxed, tried, bound, repository, changed, lacks, root } = question
  const line = spellOutCommand(command)
  if (about === 'proposal') return [line, ...(lacks === undefined ? [] : [missingSentence(lacks)])]
  const { t } = vscode.l10n
  const found = program === undefined ? t('not found') : spellOutCommand(program)
  return [
    line,
    '',
    t('Where: {0}', spellOutCommand(root)),
    t('Program: {0}', found),
    unsandboxed
      ? t('Whatever this runs, it runs without a sandbox, as you.')
      : t('Whatever this runs, it runs in the sandbox.'),
    ...(about === 'network' ? [t('With network it can send out everything that it can read.')] : []),
    ...(tried === undefined ? [] : [triedSentence(tried), ...triedOutput(tried)]),
    ...(bound === undefined ? [] : [t('Always means: until one of these files changes: {0}', spellOutCommand(bound))]),
    ...(repository ? [t('It changes the repository itself, not only files.')] : []),
    ...(changed ? [t('You approved it before, but files that could decide what it runs have changed.')] : []),
  ]
}
