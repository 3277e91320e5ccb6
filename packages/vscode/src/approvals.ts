import * as vscode from 'vscode'
import { missingSentence, spellOutCommand, triedOutput, triedSentence } from '../../clada/src/report/words.ts'
import type { ApprovalAnswer } from '../../clada/src/core/commands.ts'
import type { Question } from '../../clada/src/ui/protocol.ts'

/** Asks about a command that is not approved. Nothing runs before the answer; a closed question is a no. */
export async function askUser(question: Question): Promise<ApprovalAnswer> {
  const { about, canTry } = question
  const keep = about === 'tried'
  const answers: readonly (vscode.MessageItem & { readonly answer: ApprovalAnswer })[] = [
    // First, because Enter means the first.
    { title: vscode.l10n.t('No'), answer: 'no', isCloseAffordance: true },
    { title: keep ? vscode.l10n.t('Keep') : vscode.l10n.t('Allow once'), answer: 'once' },
    { title: keep ? vscode.l10n.t('Keep, always allow') : vscode.l10n.t('Always'), answer: 'always' },
    ...(canTry ? [{ title: vscode.l10n.t('Try in sandbox'), answer: 'try' } as const] : []),
  ]
  // Modal, so that the whole of a long command is seen before the answer.
  const detail = factsOf(question).join('\n')
  const asked = await vscode.window.showWarningMessage(wishes[about], { modal: true, detail }, ...answers)
  return asked?.answer ?? 'no'
}

const wishes = {
  command: 'The reply wants to run a command',
  network: 'The reply wants to run a command with network',
  tried: 'The command ran in the sandbox. Keep its changes?',
  proposal: 'The reply proposes a whole file',
} as const

function factsOf(question: Question): string[] {
  const { about, command, program, unsandboxed, tried, bound, repository, changed, lacks, root } = question
  const line = spellOutCommand(command)
  if (about === 'proposal') return [line, ...(lacks === undefined ? [] : [missingSentence(lacks)])]
  return [
    line,
    '',
    `Where: ${spellOutCommand(root)}`,
    `Program: ${program === undefined ? 'not found' : spellOutCommand(program)}`,
    `A yes is for whatever this runs, ${unsandboxed ? 'without a sandbox, as you' : 'in the sandbox'}.`,
    ...(about === 'network' ? ['With network it can send out everything that it can read.'] : []),
    ...(tried === undefined ? [] : [triedSentence(tried), ...triedOutput(tried)]),
    ...(bound === undefined ? [] : [`Always means: until one of these files changes: ${spellOutCommand(bound)}`]),
    ...(repository ? ['It changes the repository itself, not only files.'] : []),
    ...(changed ? ['You approved it before, but files that could decide what it runs have changed.'] : []),
  ]
}
