import path from 'node:path'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { RunData, RunRequest } from '../core/commands.ts'
import type { PathArg } from '../core/files.ts'
import { judgeCommand, blockedNames, type Listed } from '../policy/commands/judge-command.ts'
import { runApproved } from './run-approved.ts'
import { runOnWorkspace } from './file-command.ts'
import { type CommandScope, rootArg, listedMs, type Place, placeOf, checkedOperand } from './scope.ts'
import type { Problem } from '../core/problem.ts'
import { blockedGlobs, type Call } from '../policy/commands/rule.ts'
import { bareEnvironment } from '../process/environment.ts'
import { listedProgram } from '../process/programs.ts'
import { ripgrepFile } from '../process/ripgrep.ts'
import { type ProcessEnd, runProcess } from '../process/run-process.ts'
import { closedBelow } from './bounds.ts'
import { lookOnLayers } from './contained.ts'
import { lookAround } from './look-around.ts'
import { anyOf } from './looking.ts'
import { runGit } from './run-git.ts'
import { platform } from '../core/platform.ts'

/** A command line, without a shell: on the list, or approved, or refused. */
export async function runCommand({ command, dir }: RunRequest, scope: CommandScope): Promise<Outcome<RunData>> {
  const decision = judgeCommand(command, scope.settings, scope.says)
  if (decision.verdict === 'deny') {
    const { reason, advice } = decision
    return fail({ kind: 'command-refused', reason, advice })
  }
  const cwd = directoryOf(dir ?? rootArg(scope.settings.root), decision.cd)
  if (decision.verdict === 'allow' && decision.listed.rule.by === 'workspace') {
    return runOnWorkspace(decision.listed, cwd, scope)
  }
  if (decision.verdict === 'ask') return runApproved({ words: decision.words, typed: decision.typed, cwd }, scope)
  if (scope.effect === 'show' || scope.effect === 'tried') {
    await scope.files.look(cwd, 'list')
    return ok({ would_run: command.trim() }, ['not run in a preview; it only looks, and changes nothing'])
  }
  return runListed(decision.listed, cwd, scope)
}

function directoryOf(dir: PathArg, cd: string | undefined): PathArg {
  return cd === undefined ? dir : { given: cd, absolute: path.resolve(dir.absolute, cd) }
}

/** A reading command of the list, as a process of its own. */
export async function runListed(listed: Listed, cwd: PathArg, scope: CommandScope): Promise<Outcome<RunData>> {
  const place = await placeOf(cwd, 'looks', scope)
  const [name = ''] = listed.rule.name.split(' ')
  const file = listedProgram(name, [scope.settings.root, ...scope.settings.allowedRoots])
  if (name === 'git') {
    if (file === undefined) return fail({ kind: 'program-missing', program: name })
    return ended(listed, await runGit(file, listed, place, scope))
  }

  const words: string[] = []
  for (const operand of listed.operands) {
    const isPath = operand.as === 'content' || operand.as === 'name'
    words.push(isPath ? await checkedOperand(operand, place, scope) : operand.text)
  }
  if (file === undefined) return lookedAround(name, listed, words, place, scope)
  const args = argsOf(listed, words, place, scope)
  const recursive = name === 'grep' && listed.call.has('-r')
  const own = recursive ? quiet(scope) : scope
  const end =
    scope.effect === 'land' ? await started(file, args, place, own) : await lookOnLayers(file, args, place, own)
  if (!recursive || 'problem' in end) return ended(listed, end)
  return ended(listed, { ...end, output: await openLines(end, listed.call, place, scope) })
}

/** Nothing of a search is passed on before the lines of blocked files are left out. */
const quiet = (scope: CommandScope): CommandScope => ({ ...scope, onOutput: undefined })

/** The same without the program: the commands themselves are small, and ripgrep searches. */
async function lookedAround(
  name: string,
  listed: Listed,
  words: readonly string[],
  place: Place,
  scope: CommandScope,
): Promise<Outcome<RunData>> {
  const missing = fail({ kind: 'program-missing', program: name })
  if (scope.effect !== 'land') return missing
  const { call, rule } = listed
  if (name === 'grep') {
    const own = call.has('-r') ? quiet(scope) : scope
    const end = await started(ripgrepFile(), ripgrepArgs(call, listed.options, words), place, own)
    const open = call.has('-r') ? { ...end, output: await openLines(end, call, place, scope) } : end
    return answer(listed, open)
  }
  const hidden = anyOf(blockedGlobs(blockedNames(scope.settings)).join('|'), 'i')
  const done = lookAround(name, {
    options: call.options,
    words,
    safePath: place.safePath,
    absolute: place.absolute,
    isHidden: hidden,
  })
  if (done === undefined) return missing
  const data = { output: done.output, exit_code: done.exitCode }
  const isAnswer = done.exitCode === 0 || (rule.answers?.includes(done.exitCode) ?? false)
  return isAnswer ? ok(data) : fail({ kind: 'command-failed', how: { exit: done.exitCode } }, data)
}

const ended = (listed: Listed, end: ProcessEnd | { readonly problem: Problem } | undefined): Outcome<RunData> =>
  end !== undefined && 'problem' in end ? fail(end.problem) : answer(listed, end)

function argsOf(
  { rule, call, options }: Listed,
  words: readonly string[],
  place: Place,
  scope: CommandScope,
): string[] {
  // find reads its start points before anything else, so they must not look like options.
  if (rule.name === 'find')
    return words.map((word, index) => (index === 0 && word.startsWith('-') ? `./${word}` : word))
  const more =
    rule.name === 'grep' && call.has('-r')
      ? ['--null', '-H']
      : rule.name === 'diff' && call.has('-r')
        ? closedBelow(words, place, scope).map((name) => `--exclude=${name}`)
        : []
  // Without an operand grep -r searches the directory it is in.
  const last = rule.name === 'grep' && call.has('-r') && !call.operands.some(({ as }) => as === 'content') ? ['.'] : []
  // A program that knows no `--` must not take a file for an option.
  if (rule.dashes === 'single') return [...options, ...words.map((word) => (word.startsWith('-') ? `./${word}` : word))]
  return [...known(rule.name, options), ...more, '--', ...words, ...last]
}

/** The ls of the BSDs knows neither colours nor what to leave out by name. */
const known = (name: string, options: readonly string[]): readonly string[] =>
  name === 'ls' && !platform.gnuCommands ? options.filter((one) => !/^--(color|ignore)=/.test(one)) : options

function started(
  file: string,
  args: readonly string[],
  place: Place,
  { signal, onOutput, commands }: CommandScope,
): Promise<ProcessEnd> {
  return runProcess({
    file,
    args,
    name: path.basename(file),
    cwd: place.safePath,
    env: bareEnvironment,
    timeoutMs: listedMs,
    outputBytes: Math.min(commands.outputBytes, 10 * 1024 * 1024),
    family: 'group',
    signal,
    onOutput,
  })
}

export function answer({ rule }: Pick<Listed, 'rule'>, end: ProcessEnd | undefined): Outcome<RunData> {
  if (end === undefined) {
    const advice = 'Only a repository whose top is the root can be looked at.'
    return fail({ kind: 'command-refused', reason: 'the root is not the top of a git repository', advice })
  }
  const { output, exitCode, signal, ended, error, stopped } = end
  if (ended === 'unstarted') return fail({ kind: 'program-missing', program: rule.name, advice: error })
  if (ended === 'timeout') return fail({ kind: 'command-late', ms: listedMs }, { output })
  if (stopped !== undefined) return fail({ kind: 'command-failed', how: { stopped } }, { output })
  if (exitCode === null) return fail({ kind: 'command-failed', how: { signal: signal ?? 'unknown' } }, { output })
  const data = { output, exit_code: exitCode }
  const isAnswer = exitCode === 0 || (rule.answers?.includes(exitCode) ?? false)
  return isAnswer ? ok(data) : fail({ kind: 'command-failed', how: { exit: exitCode } }, data)
}

/**
 * What a recursive grep found, without the lines of files that are blocked. Its options leave out the names it can
 * express; this also catches links and second names. With `--null` each file name ends with NUL.
 */
export async function openLines(end: ProcessEnd, call: Call, place: Place, scope: CommandScope): Promise<string> {
  const known = new Map<string, boolean>()
  const isOpen = async (file: string): Promise<boolean> => {
    const before = known.get(file)
    if (before !== undefined) return before
    const open = await openFile(file, place, scope)
    known.set(file, open)
    return open
  }
  const kept = call.has('-l', '-L') ? await names(end.stdout, isOpen) : await lines(end.stdout, call, isOpen)
  scope.onOutput?.(Buffer.from(kept + end.stderr))
  return kept + end.stderr
}

async function openFile(file: string, place: Place, scope: CommandScope): Promise<boolean> {
  try {
    const found = await scope.files.look({ given: file, absolute: path.resolve(place.absolute, file) }, 'read')
    return found?.type === 'file'
  } catch {
    return false
  }
}

async function names(text: string, isOpen: (file: string) => Promise<boolean>): Promise<string> {
  let kept = ''
  for (const name of text.split('\0')) if (name.trim() !== '' && (await isOpen(name))) kept += `${name}\n`
  return kept
}

async function lines(text: string, call: Call, isOpen: (file: string) => Promise<boolean>): Promise<string> {
  const kept: string[] = []
  for (const line of text.split('\n')) {
    const nul = line.indexOf('\0')
    if (nul === -1) {
      kept.push(line)
      continue
    }
    const file = line.slice(0, nul)
    if (!(await isOpen(file))) continue
    const rest = line.slice(nul + 1)
    // Lines around a hit have a dash where the hit has a colon.
    const mark = call.has('-n') ? (/^\d+([:-])/.exec(rest)?.[1] ?? ':') : ':'
    kept.push(call.has('-h') ? rest : `${file}${mark}${rest}`)
  }
  return kept.join('\n')
}

/** The arguments by which ripgrep does what grep would do, for machines without grep. */
export function ripgrepArgs(call: Call, options: readonly string[], words: readonly string[]): string[] {
  const args = ['--no-config', '--no-ignore', '--hidden', '--color=never', '--no-heading', '--no-line-number']
  args.push('--path-separator=/', '--sort=path')
  const convert = call.has('-F') ? (text: string) => text : (text: string) => fromPosix(text, call.has('-E'))
  const waiting = [...call.options]
  for (let option = waiting.shift(); option !== undefined; option = waiting.shift()) {
    const [, name = option, value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(option) ?? []
    if (name === '--include') args.push(`--glob=${value}`)
    else if (option === '-e') args.push('-e', convert(waiting.shift() ?? ''))
    else if (/^-[ABCm]$/.test(option)) args.push(option, waiting.shift() ?? '')
    else args.push(...(renamed[option] ?? [option]))
  }
  // Files that are blocked are excluded after everything else, because the last glob that matches counts.
  for (const option of options) {
    const [, dir, name] = /^--exclude(-dir)?=(.*?)\/?$/s.exec(option) ?? []
    if (name !== undefined) args.push(`--iglob=!${name}${dir === undefined ? '' : '/'}`)
  }
  const [pattern = '', ...files] = call.has('-e') ? ['', ...words] : words
  if (!call.has('-e')) args.push('-e', convert(pattern))
  if (call.has('-r')) args.push('--null', '-H')
  return [...args, '--', ...files, ...(call.has('-r') && files.length === 0 ? ['.'] : [])]
}

/** Options that ripgrep spells otherwise, or does not need. */
const renamed: Readonly<Record<string, readonly string[]>> = {
  '-n': ['--line-number'],
  '-c': ['--count', '--include-zero'],
  '-L': ['--files-without-match'],
  '-h': ['--no-filename'],
  '-s': ['--no-messages'],
  '-E': [],
  '-r': [],
}

/**
 * A pattern of POSIX for ripgrep. In a basic one `( ) { } + ? |` are ordinary characters, and special with a backslash;
 * in an extended one it is the other way round, as in ripgrep.
 */
export function fromPosix(pattern: string, extended: boolean): string {
  let first = true
  return pattern.replace(/\\[\s\S]|\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]|[\s\S]/g, (part) => {
    const begins = first
    first = part === '\\(' || part === '\\|' || (begins && part === '^')
    if (part === '\\<' || part === '\\>') return '\\b'
    // In brackets a backslash and a second bracket are ordinary.
    if (part.length > 1 && part.startsWith('[')) {
      const [, open = '', inner = ''] = /^(\[\^?)([\s\S]*)\]$/.exec(part) ?? []
      const classes = inner.replace(/\[:\w+:\]|[\\[\]&~]/g, (one) => (one.length > 1 ? one : `\\${one}`))
      return `${open}${classes}]`
    }
    if (extended) return part
    if (/^\\[(){}+?|]$/.test(part)) return part.slice(1)
    if (part === '*' && begins) return '\\*'
    return /^[(){}+?|]$/.test(part) ? `\\${part}` : part
  })
}
