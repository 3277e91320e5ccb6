import fs from 'node:fs'
import path from 'node:path'
import { structuredPatch } from 'diff'

/** A command that only looks, as it was judged: paths are checked, and relative to the directory. */
export interface LookCall {
  /** Options, each value in a word of its own after its option. */
  readonly options: readonly string[]
  /** Operands; those that are paths were checked. */
  readonly words: readonly string[]
  /** The directory as the program would see it, and as people know it. */
  readonly safePath: string
  readonly absolute: string
  /** Names that are neither entered nor shown. */
  readonly isHidden: (name: string) => boolean
}

export interface LookResult {
  readonly output: string
  readonly exitCode: number
}

export interface Looking extends LookCall {
  has(...flags: string[]): boolean
  valueOf(flag: string): string | undefined
  /** Notes a file that could not be looked at; the command then ends with 1. */
  complain(file: string, error: unknown): void
}

/** Shell patterns for names, `|` between them. */
export function anyOf(patterns: string, flags = ''): (name: string) => boolean {
  const test = new RegExp(`^(?:${patterns.split('|').map(regexOf).join('|')})$`, `s${flags}`)
  return (name) => test.test(name)
}

const regexOf = (glob: string): string =>
  glob.replace(/\[!?[^\]]+\]|[\s\S]/g, (part) => {
    if (part === '*') return '.*'
    if (part === '?') return '.'
    if (part.length > 1 && part.startsWith('['))
      return `[${part.startsWith('[!') ? '^' : ''}${part.slice(part.startsWith('[!') ? 2 : 1, -1).replace(/[\\^]/g, '\\$&')}]`
    return part.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
  })

/** diff of two files; undefined for options that only the program has. */
export function diffFiles(look: Looking): LookResult | undefined {
  const { has, valueOf, words, safePath } = look
  if (has('-r', '-w', '-b', '-B', '-i')) return undefined
  const [one = '', other = ''] = words
  const texts: string[] = []
  for (const word of [one, other]) {
    try {
      const text = fs.readFileSync(path.join(safePath, word), 'utf8')
      texts.push(has('--strip-trailing-cr') ? text.replace(/\r\n/g, '\n') : text)
    } catch (error) {
      const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (missing && has('-N')) texts.push('')
      else if (missing) return { output: `diff: ${word}: No such file or directory\n`, exitCode: 2 }
      else throw error
    }
  }
  const [before = '', after = ''] = texts
  if (before === after) return { output: has('-s') ? `Files ${one} and ${other} are identical\n` : '', exitCode: 0 }
  if (has('-q')) return { output: `Files ${one} and ${other} differ\n`, exitCode: 1 }
  const unified = has('-u') || valueOf('-U') !== undefined
  const { hunks } = structuredPatch(one, other, before, after, '', '', {
    context: unified ? Number(valueOf('-U') ?? 3) : 0,
  })
  const body = hunks.map((hunk) => (unified ? unifiedHunk(hunk) : normalHunk(hunk))).join('')
  return { output: unified ? `--- ${one}\n+++ ${other}\n${body}` : body, exitCode: 1 }
}

interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

function unifiedHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const range = (start: number, count: number): string =>
    count === 1 ? String(start) : `${count === 0 ? start - 1 : start},${count}`
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.map((line) => `${line}\n`).join('')}`
}

/** `5,6c5` and then the lines of both sides. */
function normalHunk({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const range = (start: number, count: number): string =>
    count < 2 ? String(start + count - 1) : `${start},${start + count - 1}`
  const kind = oldLines === 0 ? 'a' : newLines === 0 ? 'd' : 'c'
  const side = (sign: string, mark: string): string =>
    lines
      .flatMap((line, at) => {
        if (!line.startsWith(sign)) return []
        return [`${mark} ${line.slice(1)}\n`, ...(lines[at + 1]?.startsWith('\\') ? [`${lines[at + 1]}\n`] : [])]
      })
      .join('')
  return `${range(oldStart, oldLines)}${kind}${range(newStart, newLines)}\n${side('-', '<')}${kind === 'c' ? '---\n' : ''}${side('+', '>')}`
}
