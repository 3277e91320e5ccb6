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
