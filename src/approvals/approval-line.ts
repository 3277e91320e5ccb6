import path from 'node:path'
import { splitCommand } from '../policy/commands/words.ts'

/** A command line as it is approved: the words, the directory, and whether any further arguments may follow. */
export interface ApprovalLine {
  /** The one spelling under which it is stored. */
  readonly line: string
  readonly words: readonly string[]
  /** Below the root; empty for the root itself. */
  readonly dir: string
  /** Set when the line ends in a star: then it is for every line that begins with these words. */
  readonly args: boolean
}

/** A star that was written without quotes; a quoted one is stored with quotes and is a word like any other. */
const star = '*'

/** Words are quoted where they need it. The directory is part of it: an approval for one does not hold in another. */
export function approvalLine(words: readonly string[], dir: string, args = false): ApprovalLine {
  const command = [...words.map(quoted), ...(args ? [star] : [])].join(' ')
  return { line: dir === '' ? command : `cd ${quoted(dir)} && ${command}`, words, dir, args }
}

const quoted = (word: string): string =>
  /^[\p{L}\p{N}_@%+=:,./^-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The same for a line that a person wrote. */
export function approvalLineOf(command: string): ApprovalLine | { readonly reason: string } {
  const split = splitCommand(command)
  if (!split.ok) return { reason: split.reason }
  const dir = path.normalize(split.line.cd?.text ?? '.').replace(/\/+$/, '')
  const words = split.line.words.map(({ text }) => text)
  const last = split.line.words.at(-1)
  const args = words.length > 1 && last?.text === star && !last.quoted
  const kept = args ? words.slice(0, -1) : words
  const [program = ''] = kept
  if (args && startsOthers.test(kept.join(' ')))
    return { reason: `${program} starts the program it is given, so ${star} would approve every program` }
  return approvalLine(kept, dir === '.' ? '' : dir, args)
}

/** Programs that run whatever their next words name. */
const startsOthers =
  /^(?:(?:\S*\/)?(?:env|sudo|doas|su|xargs|timeout|nice|ionice|nohup|time|setsid|stdbuf|watch|strace|chroot|unshare|busybox|npx|bunx|pnpx|uvx|pipx run|eval|exec|command|(?:ba|da|z|k|fi)?sh(?: -\S*)?)|(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:uv|poetry|pipenv|hatch) run|bundle exec|git bisect run)$/

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
