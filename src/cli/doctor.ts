import { isClipboard } from '../clipboard/clipboard.ts'
import { openClipboard } from '../clipboard/open.ts'
import { findProgram, pathOutside, systemPath } from '../process/programs.ts'
import { chooseSandbox } from '../process/sandbox.ts'
import { whyNotStarting } from '../process/try-sandbox.ts'
import { SettingsError, settingsOf } from '../settings.ts'
import type { Command } from './command.ts'
import type { FlagValues } from './flags.ts'
import { loadedFor, optionsFor } from './options.ts'
import { print } from './print.ts'

interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  readonly advice?: string
  /** Most of clada does without it. */
  readonly optional?: true
}

/** What is there, which sandbox is active, and how to get what is missing. */
export const command: Command = async ({ flags }) => {
  const found = await configs(flags)
  // A config that cannot be read is something to tell, not a reason to tell nothing.
  const { root } = settingsOf(await optionsFor(found.every(({ ok }) => ok) ? flags : { ...flags, 'no-config': [''] }))
  const findings = [await sandbox(root), ...listed(), ...interpreters(root), limits(), await clipboard(root), ...found]
  if (flags.json !== undefined) print(JSON.stringify(findings, null, 2))
  else for (const finding of findings) print(lineOf(finding))
  return findings.every(({ ok, optional }) => ok || optional) ? 0 : 1
}

async function configs(flags: FlagValues): Promise<Finding[]> {
  const name = 'config'
  try {
    const { user, project, warnings } = (await loadedFor(flags)) ?? {}
    if (user === undefined && project === undefined) return [{ name, ok: true, found: 'none; clada init writes one' }]
    const more = (warnings ?? []).length === 0 ? {} : { advice: (warnings ?? []).join('\n    ') }
    const limit = project?.trusted ? 'trusted' : 'not trusted, so it only narrows'
    return [
      ...(user === undefined ? [] : [{ name, ok: true, found: `${user.file} (yours)` }]),
      ...(project === undefined ? [] : [{ name, ok: true, found: `${project.file} (${limit})`, ...more }]),
    ]
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return [{ name, ok: false, found: error.message.replaceAll('\n', '\n    ') }]
  }
}

const lineOf = ({ name, ok, found, advice, optional }: Finding): string =>
  `${ok ? '✓' : optional ? '–' : '✗'} ${name.padEnd(12)} ${found}${advice === undefined ? '' : `\n    ${advice}`}`

/** Tried, not only looked for: a kernel may refuse what is installed. */
async function sandbox(root: string): Promise<Finding> {
  const name = 'sandbox'
  const choice = chooseSandbox()
  if (!choice.ok) return { name, ok: false, found: choice.reason, advice: choice.advice }
  const failure = await whyNotStarting(choice.sandbox, root)
  const user = process.geteuid?.() === 0 ? 'as the superuser, without its powers' : 'as an ordinary user'
  if (failure === undefined)
    return { name, ok: true, found: `${choice.sandbox.name} is active (${choice.sandbox.file}), ${user}` }
  return {
    name,
    ok: false,
    found: `${choice.sandbox.name} does not start: ${failure}`,
    advice:
      'Allow user namespaces (sysctl -w kernel.unprivileged_userns_clone=1, or on Ubuntu an AppArmor profile for bwrap), or use --exec unsandboxed.',
  }
}

function listed(): Finding[] {
  const wanted = ['git', 'grep', 'find', 'tree', 'diff', 'file', 'xxd']
  const missing = wanted.filter((name) => findProgram(name, systemPath) === undefined)
  if (missing.length === 0) return [{ name: 'commands', ok: true, found: 'all commands of the list are installed' }]
  // They are refused one by one when a document asks for them; nothing else depends on them.
  return [
    {
      name: 'commands',
      ok: true,
      found: `not installed: ${missing.join(', ')}`,
      advice: 'Install them if models should use them.',
    },
  ]
}

function interpreters(root: string): Finding[] {
  const dirs = pathOutside(process.env['PATH'], [root])
  return ['python3', 'node', 'bash', 'ruby'].map((name) => {
    const file = findProgram(name, dirs)
    return { name, ok: true, found: file ?? 'not installed; exec in this language is refused' }
  })
}

function limits(): Finding {
  const file = findProgram('prlimit', systemPath)
  if (file !== undefined || process.platform !== 'linux')
    return { name: 'limits', ok: true, found: file ?? 'time and output only' }
  return {
    name: 'limits',
    ok: true,
    found: 'time and output only',
    advice: 'Install util-linux (prlimit) for limits on memory and processes.',
  }
}

async function clipboard(root: string): Promise<Finding> {
  const opened = await openClipboard({ roots: [root] })
  const ok = isClipboard(opened)
  return { name: 'clipboard', ok, found: ok ? opened.name : opened.why, optional: true }
}
