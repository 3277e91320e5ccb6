import path from 'node:path'
import { withSlashes } from '../core/paths.ts'
import { splitCommand } from '../policy/commands/words.ts'

/** A command line as it is approved: the words, the directory, and whether any further arguments may follow. */
export interface ApprovalLine {
  /** As it was typed, which is how it is stored and shown. */
  readonly typed: string
  /** One spelling for all lines that mean the same. */
  readonly line: string
  readonly words: readonly string[]
  /** Below the root; empty for the root itself. */
  readonly dir: string
  /** Set when the line ends in a star: then it is for every line that begins with these words. */
  readonly args: boolean
}

/** A star that was written without quotes; a quoted one is stored with quotes and is a word like any other. */
const star = '*'

/**
 * Words that were typed in a directory, which is part of it: an approval for one does not hold in another.
 *
 * @param typed The words as they are written; without it they are quoted where they need it.
 */
export function approvalLine(words: readonly string[], dir: string, typed?: string): ApprovalLine {
  const command = words.map(quotedWord).join(' ')
  const line = inDir(command, dir)
  // A line that goes on below would not be seen whole where it is listed.
  return {
    typed: typed === undefined || /[\r\n]/.test(typed) ? line : inDir(typed, dir),
    line,
    words,
    dir,
    args: false,
  }
}

const inDir = (command: string, dir: string): string => (dir === '' ? command : `cd ${quotedWord(dir)} && ${command}`)

const quotedWord = (word: string): string =>
  /^[\p{L}\p{N}_@%+=:,./^-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The same for a line that a person wrote. */
export function approvalLineOf(command: string): ApprovalLine | { readonly reason: string } {
  const split = splitCommand(command)
  if (!split.ok) return { reason: split.reason }
  const dir = withSlashes(path.normalize(split.line.cd?.text ?? '.')).replace(/\/+$/, '')
  const words = split.line.words.map(({ text }) => text)
  const last = split.line.words.at(-1)
  const args = words.length > 1 && last?.text === star && !last.quoted
  const kept = args ? words.slice(0, -1) : words
  const [program = ''] = kept
  if (args && startsAny(kept))
    return { reason: `${program} starts the program it is given, so ${star} would approve every program` }
  const exact = approvalLine(kept, dir === '.' ? '' : dir, split.line.typed)
  return args ? { ...exact, line: `${exact.line} ${star}`, args } : exact
}

/** Programs that run whatever their next words name. */
const launchers = [
  'env|sudo|doas|su|runuser|setpriv|xargs|parallel|timeout|nice|ionice|chrt|taskset|prlimit|nohup|time|setsid|stdbuf',
  'watch|entr|strace|ltrace|valgrind|script|chroot|unshare|nsenter|bwrap|systemd-run|xvfb-run|busybox|flock',
  'npx|bunx|pnpx|uvx|cross-env|dotenv|eval|exec|command|(?:ba|da|z|k|fi)?sh',
  '(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:uv|poetry|pipenv|pipx|hatch|conda) run|bundle exec|git bisect run',
  '(?:mise|direnv|corepack) exec|(?:docker|podman) (?:run|exec)|nix (?:run|shell|develop)',
].join('|')
const launcher = new RegExp(String.raw`^(?:\S*/)?(?:${launchers})(?= |$)`)

/** Options of launchers that have no value after them. Of any other one the next word may be the value. */
const withoutValue: ReadonlySet<string> = new Set(['-y', '-i', '--yes', '--'])

/** Whether the words end before the program that they start: only options, assignments and numbers follow the launcher. */
function startsAny(words: readonly string[]): boolean {
  const line = words.join(' ')
  const [start] = launcher.exec(line) ?? []
  if (start === undefined) return false
  const rest = line.slice(start.length).split(' ').slice(1)
  return rest.every((word, at) => {
    const previous = rest[at - 1] ?? ''
    return /^-|^[A-Za-z_]\w*=|^\d/.test(word) || (previous.startsWith('-') && !withoutValue.has(previous))
  })
}

/** Whether an approval of one line is also one of the other: the same words in the same directory, and more only after a star. */
export function covers(approved: ApprovalLine, asked: ApprovalLine): boolean {
  if (approved.line === asked.line) return true
  return (
    approved.args &&
    approved.dir === asked.dir &&
    asked.words.length >= approved.words.length &&
    approved.words.every((word, at) => word === asked.words[at])
  )
}
