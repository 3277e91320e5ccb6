import path from 'node:path'
import { slashed } from '../core/paths.ts'
import { sha256 } from '../core/hash.ts'
import { isProgram } from '../process/programs.ts'
import type { ApprovalLine } from './approval-line.ts'
import { decidesScripts, packageScripts } from './package-scripts.ts'
import { type CommandPlace, type FoundProgram, programsNamed, toolNamed } from './program.ts'
import { namesIn, readSmall, ruleFiles, type Text } from './rule-files.ts'

/** What a command line would run, where the project's own files say so: then an approval is for that and no more. */
export interface WhatRuns {
  /** Undefined when there is no such program. */
  readonly program: FoundProgram | undefined
  /** Changes when what is run changes; null where nothing can be known. */
  readonly hash: string | null
  /** For the person who is asked; undefined where it is unknown. */
  readonly shown: string | undefined
}

/**
 * One for each program that the name may mean, the preferred one first. `approved` is the line that is or would be
 * approved: what follows its star is ignored, unless it leads a tool to other scripts.
 */
export function whatRuns(words: readonly string[], place: CommandPlace, approved = words): [WhatRuns, ...WhatRuns[]] {
  const text = textOf(words, approved, place)
  const of = (program: FoundProgram | undefined): WhatRuns => {
    const parts = [program?.bound, text].flatMap((part) => part ?? [])
    return {
      program,
      hash: parts.length === 0 ? null : sha256(JSON.stringify(parts.map(({ whole }) => whole))),
      shown: parts.length === 0 ? undefined : clipped(parts.map(({ shown }) => shown).join('; ')),
    }
  }
  const [first, ...others] = programsNamed(words[0] ?? '', place)
  return [of(first), ...others.map(of)]
}

/** A project could bring any number of scripts, and the question would scroll away. */
const clipped = (text: string): string =>
  text.length <= mostShown ? text : `${text.slice(0, mostShown)}… and ${text.length - mostShown} characters more`

const mostShown = 4000

/** The same for a line of the list of a project. */
export const whatLineRuns = (
  { words, dir }: ApprovalLine,
  { root, roots }: Omit<CommandPlace, 'cwd'>,
  approved = words,
): [WhatRuns, ...WhatRuns[]] => whatRuns(words, { cwd: path.resolve(root, dir), root, roots }, approved)

/** Commands that put packages on the machine, so that they have to write to what tools keep in the home directory. */
const installing =
  /^(?:(?:npm|pnpm|bun) (?:i|install|ci|add|update|upgrade)\b|yarn$|yarn (?:install|add|up|upgrade)\b|pip3? install |python[\d.]* -m pip install |uv (?:sync|add|pip install|lock)\b|poetry (?:install|add|update)\b|pipenv (?:install|sync)\b|cargo (?:fetch|add|install|update)\b|go (?:mod (?:download|tidy)|get|install)\b|bundle install\b|gem install |composer (?:install|require|update)\b)/

/** Commands that are of no use without the network, as far as is known: for these it is asked about. */
const fetching =
  /^(?:npm (?:audit|outdated)\b|npx |bunx |pnpx |uvx |mvn |gradle |(?:\.\/)?(?:gradlew|mvnw) |git (?:fetch|pull|push|clone|ls-remote)\b)/

export const installs = ({ words }: Pick<ApprovalLine, 'words'>): boolean => installing.test(words.join(' '))

export const wantsNetwork = (line: Pick<ApprovalLine, 'words'>): boolean =>
  installs(line) || fetching.test(`${line.words.join(' ')} `)

/**
 * Whether a file of the project may be part of what `whatRuns` finds for a line. Scripts of package tools are in files
 * with known names; for other programs it may be any file.
 */
export function mayBind(words: readonly string[], relative: string): boolean {
  const [program = '', verb = ''] = words
  const byName = /^(npm|pnpm|yarn|bun)$/.test(program) && /^(t|test|run|run-script|start)$/.test(verb)
  return !byName || decidesScripts(relative)
}

function textOf(words: readonly string[], approved: readonly string[], place: CommandPlace): Text | undefined {
  const [program = '', ...rest] = words
  const { cwd, root } = place
  if (/^(npm|pnpm|yarn|bun)$/.test(program)) {
    const inner = program === 'bun' || rest[0] !== 'exec' ? undefined : startedTool(rest.slice(1), place)
    return inner ?? packageScripts(program, rest, cwd, root)
  }
  const runner = runners.find((one) => one.every((word, at) => word === words[at]))
  if (runner !== undefined) return startedTool(words.slice(runner.length), place)
  if (program === 'git') return gitRuns(root)
  const files = ruleFiles(path.basename(program), rest, cwd)
  if (files !== undefined) return files
  const given = approved.slice(1)
  // One that cannot be started yet is still the one that would be.
  if (program.includes('/')) return filesNamed(isProgram(path.resolve(cwd, program)) ? given : approved, cwd)
  return /^(?:node|python[\d.]*|ruby|perl|php|bash|sh|dash|zsh|deno|tsx|ts-node|lua|Rscript)$/.test(program)
    ? filesNamed(given, cwd)
    : undefined
}

/** Programs that run a tool of the project by its name. */
const runners = ['npx', 'bunx', 'pnpx', 'uv run', 'poetry run', 'pipenv run', 'hatch run', 'bundle exec'].map((line) =>
  line.split(' '),
)

/** The tool of the project that would be run, when there is one. */
function startedTool(words: readonly string[], place: CommandPlace): Text | undefined {
  const name = words.find((word) => !word.startsWith('-'))
  if (name === undefined || name.includes('/')) return name === undefined ? undefined : filesNamed([name], place.cwd)
  const tool = toolNamed(name, place)
  if (tool !== undefined) return tool
  // Once the project has such a tool, it runs instead.
  return {
    whole: 'none of the project',
    shown: `${name}, which the project does not have: whatever is fetched or found`,
  }
}

/** All files among the words of a command, as values of options too: which of them is run is for the program to know. */
function filesNamed(words: readonly string[], cwd: string): Text | undefined {
  const names = words.flatMap((word, at) => [
    word,
    `${word}.js`,
    word.slice(word.indexOf('=') + 1),
    word.replace(/^-[A-Za-z]/, ''),
    ...(words[at - 1] === '-m' ? modulesOf(word) : []),
    path.join(word, 'index.js'),
  ])
  return textOfFiles([...new Set(names)], cwd)
}

const modulesOf = (name: string): string[] => {
  const place = name.replaceAll('.', '/')
  return [`${place}.py`, `${place}/__main__.py`]
}

export function textOfFiles(names: readonly string[], cwd: string): Text | undefined {
  const found = names.flatMap((name) => {
    const text = readSmall(path.resolve(cwd, name))
    return text === undefined ? [] : [{ name: slashed(path.normalize(name)), text }]
  })
  if (found.length === 0) return undefined
  return {
    whole: JSON.stringify(found.map(({ name, text }) => [name, text])),
    shown: found.map(({ name, text }) => `${name} (${text.length} characters)`).join(', '),
  }
}

/**
 * The programs that a repository makes git run: hooks, and commands in its config (filters, drivers, editors, aliases).
 * They are known by their texts; a git command that is approved runs them.
 */
export function gitRuns(root: string): Text | undefined {
  const dir = path.join(root, '.git')
  const config = readSmall(path.join(dir, 'config')) ?? ''
  const [, given] = /^[ \t]*hooksPath[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t]*$/im.exec(config) ?? []
  const hooksDir = given === undefined ? path.join(dir, 'hooks') : path.resolve(root, given)
  const hooks = namesIn(hooksDir).flatMap((name) => {
    const file = path.join(hooksDir, name)
    const text = name.endsWith('.sample') ? undefined : readSmall(file)
    return text === undefined ? [] : [[slashed(path.relative(root, file)), text] as const]
  })
  const commands = config
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => startsProgram.test(line))
  const attributes = ['.gitattributes', '.git/info/attributes'].flatMap((name) => {
    const text = commands.length === 0 ? undefined : readSmall(path.join(root, name))
    return text === undefined ? [] : [[name, text] as const]
  })
  if (hooks.length + commands.length === 0) return undefined
  const names = hooks.map(([name]) => name)
  return {
    whole: JSON.stringify([hooks, commands, attributes]),
    shown: [
      ...(names.length === 0 ? [] : [`the hooks ${names.join(', ')}`]),
      ...(commands.length === 0 ? [] : [`what .git/config says: ${commands.join(', ')}`]),
    ].join('; '),
  }
}

/** Keys whose value is a command, or a file with more such keys. */
const startsProgram =
  /^(?:hooksPath|fsmonitor|pager|editor|sshCommand|askPass|gitProxy|clean|smudge|process|driver|command|textconv|external|program|helper|cmd|path|uploadpack|receivepack|(?:[\w-]+[ \t]*=[ \t]*"?!.*))[ \t]*(?:=|$)/i
