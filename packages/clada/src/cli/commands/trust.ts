import { approvalLineOf } from '../../approvals/approval-line.ts'
import { type Approvals, approvalsFor } from '../../approvals/approvals.ts'
import { wantsNetwork } from '../../approvals/needs-network.ts'
import { type KeyName, keyNames } from '../../config/keys.ts'
import type { YamlPosition } from '../../config/kinds.ts'
import { commandSettingsOf, historySettingsOf, settingsOf } from '../../config/settings.ts'
import type { HistorySettings, Settings } from '../../core/settings.ts'
import { projectFileName } from '../../core/reserved-names.ts'
import { yamlOf } from '../../config/sample.ts'
import { Clada } from '../../api/clada.ts'
import { type AgentNotes, agentNotesFor, agentNotesName, trustOf } from '../../config/agent-notes.ts'
import { distrust, trust } from '../../config/trust.ts'
import { adoptHistory } from '../../history/take-over.ts'
import { asked, confirm } from '../ask.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { loadConfigFiles, optionsFor, sayProject } from '../options.ts'
import { print, say } from '../streams.ts'
import { spellOut, spellOutCommand } from '../../report/words.ts'
import { approvalState } from './approvals.ts'

/** Settings of a project apply only after the user has seen them. */
export const command: Command = {
  name: 'trust',
  group: 'set-up',
  usage: 'clada trust [remove | --history]',
  summary: 'review what a project asks for and tells agents, and trust it',
  about:
    'Shows what the clada.yml of the project asks for beyond what you allow, hooks included, and asks whether to\ntrust that file until it changes. Then shows each AGENTS.md, which prompts quote while you trust it, and asks about\neach command that the project lists as approved and you have not.',
  words: ['remove'],
  flags: ['root', 'history', 'help'],
  examples: [
    ['clada trust', 'after cloning'],
    ['clada trust remove', 'no longer trust it'],
    ['clada trust --history', 'after moving the project: use its history again'],
  ],
  run: async ({ flags, words: [verb] }) => {
    if (verb !== undefined && verb !== 'remove')
      throw new UsageError('trust takes no arguments, or: clada trust remove')
    const options = await optionsFor(flags)
    const settings = settingsOf(options)
    const { root } = settings
    if (flags.history !== undefined) return signHistory(root, historySettingsOf(options))
    const loaded = await loadConfigFiles(flags)
    await sayProject(flags)
    const { project } = loaded ?? {}
    if (verb === 'remove') {
      const dir = project?.dir ?? root
      distrust({ place: dir, root: dir })
      for (const { path } of await allNotes(new Clada(options), settings)) distrust(trustOf(path, settings))
      say('The config file and AGENTS.md of this project are not trusted. Approvals: clada approvals remove "CMD".')
      return 0
    }
    const file = project === undefined ? 'agreed' : await vouchForFile(loaded, project)
    const found = file === 'no terminal' ? [] : await allNotes(new Clada(options), settings)
    const notes = file === 'no terminal' ? file : await vouchForNotes(found, settings)
    if (notes === 'no terminal') return 1
    const proposed = loaded?.merged['commands.approve'].refused?.value
    const approvals = await approvalsFor(settings, commandSettingsOf(options))
    const listed = [...approvals.list().list.commands, ...(Array.isArray(proposed) ? proposed.map(String) : [])]
    if (project === undefined && found.length + listed.length === 0)
      say(`Nothing here asks for trust: no ${projectFileName}, no ${agentNotesName}, no list of approved commands.`)
    const commands = await vouchForCommands(root, approvals, [...new Set(listed)])
    return [file, notes, commands].every((answer) => answer === 'agreed') ? 0 : 1
  },
}

/** The flag names it, so nothing is asked. */
async function signHistory(root: string, settings: HistorySettings): Promise<0 | 1> {
  const done = await adoptHistory(root, settings)
  const said = {
    adopted: 'The history is signed by you and used from now on. See clada history.',
    'counts already': 'The history of this project is already used, and there is no other.',
    'nothing to adopt': 'There is no history to sign.',
  }
  say(said[done.state])
  if (done.state === 'adopted') for (const note of done.notes) say(note)
  return done.state === 'nothing to adopt' ? 1 : 0
}

type TrustAnswer = 'agreed' | 'declined' | 'no terminal'

/** Trusts the file as it was read, not as it is on the disk by then. */
async function vouchForFile(
  loaded: Awaited<ReturnType<typeof loadConfigFiles>>,
  project: { readonly dir: string; readonly text: string; readonly file: string; readonly trusted: boolean },
): Promise<TrustAnswer> {
  const open = keyNames.flatMap((name) => {
    const refused = loaded?.merged[name].refused
    return refused?.by === 'project' && name !== 'commands.approve' ? [{ name, ...refused }] : []
  })
  if (open.length === 0) {
    print(project.trusted ? `You trust ${projectFileName}.` : `${projectFileName} asks for nothing that needs trust.`)
    return 'agreed'
  }
  print(`${projectFileName} asks for more than you allow:`)
  for (const one of open) print(shownWidening(one))
  const yes = await confirm('Trust this file until it changes?')
  if (yes === undefined) return withoutTerminal('say what you allow in your own config file, or by flags')
  if (!yes) return 'declined'
  if (!trust({ place: project.dir, root: project.dir }, project.text)) return nothingCanBeTrusted()
  print('You trust it now.')
  return 'agreed'
}

function nothingCanBeTrusted(): 'declined' {
  say('clada: your state directory is inside the project, where documents can write, so nothing can be trusted.', 2)
  return 'declined'
}

/** Every AGENTS.md of a project. */
async function allNotes(clada: Clada, settings: Settings): Promise<AgentNotes[]> {
  const found = await clada.perform('glob', { pattern: `**/${agentNotesName}`, base_path: settings.root })
  const files = found.results[0]?.data
  return agentNotesFor(settings, Array.isArray(files) ? files.map(String) : [])
}

/** The user sees all of what models are told. */
async function vouchForNotes(notes: readonly AgentNotes[], settings: Settings): Promise<TrustAnswer> {
  let answer: TrustAnswer = 'agreed'
  for (const { path, text } of notes.filter(({ isTrusted }) => !isTrusted)) {
    if (text === undefined) {
      say(`${spellOut(path)} is a link, no text or too long: prompts only name it.`)
      continue
    }
    print(`${spellOut(path)} tells agents:`)
    for (const line of text.trimEnd().split('\n')) print(`  ${spellOut(line)}`)
    const yes = await confirm('Quote it in prompts until it changes?')
    if (yes === undefined) return withoutTerminal(`give models what you want of ${agentNotesName} as prompt.rules`)
    if (!yes) answer = 'declined'
    else if (!trust(trustOf(path, settings), text)) return nothingCanBeTrusted()
  }
  return answer
}

async function vouchForCommands(root: string, approvals: Approvals, lines: readonly string[]): Promise<TrustAnswer> {
  const open = lines.filter((line) => approvalState(line, approvals).state !== 'approved')
  if (open.length === 0) {
    if (lines.length > 0) print('All commands that the project lists are approved.')
    return 'agreed'
  }
  print(`${root} lists as approved:`)
  let answer: TrustAnswer = 'agreed'
  for (const line of open) {
    const read = approvalLineOf(line)
    if ('reason' in read) {
      print(`  ${spellOutCommand(line)}\n    cannot be approved: ${read.reason}`)
      answer = 'declined'
      continue
    }
    const program = approvals.program(read, approvals.widthOf(read))
    print(
      `  ${spellOutCommand(line)}\n    program: ${program === undefined ? 'not found' : spellOutCommand(program.file)}`,
    )
    const yes = await confirm('Approve it?')
    if (yes === undefined) return withoutTerminal('approve them one by one with clada approve "CMD"')
    if (!yes) {
      answer = 'declined'
      continue
    }
    const network = wantsNetwork(read.words) && (await confirm(asked.network)) === true
    approvals.add(read, { network })
  }
  return answer
}

function withoutTerminal(instead: string): TrustAnswer {
  say(`clada: there is no terminal to ask on; ${instead}.`, 2)
  return 'no terminal'
}

/** What a project's file asks for: the user sees everything that they trust. */
function shownWidening({ name, value, at }: { name: KeyName; value: unknown; at: YamlPosition }): string {
  const entries = Array.isArray(value) ? value : undefined
  if (entries === undefined) return `  line ${at.line}: ${name}: ${spellOutCommand(yamlOf(name, value))}`
  return [`  line ${at.line}: ${name}:`, ...entries.map((entry) => `    - ${spellOutCommand(shownEntry(entry))}`)].join(
    '\n',
  )
}

const shownEntry = (entry: unknown): string => (typeof entry === 'string' ? entry : JSON.stringify(entry))
