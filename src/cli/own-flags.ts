import { commandFlags, documentFlags } from './command-flags.ts'
import { type FlagValues, UsageError } from './flags.ts'

/** Which project is meant, and how it is told: these harm nowhere. */
const anywhere = ['root', 'no-config', 'quiet', 'no-color', 'help', 'version']

/** A document is read or carried out by these, so what is said about carrying one out may stand there. */
const withDocuments = ['run', 'check', 'convert', 'diff', 'do', 'watch', 'ui', 'mcp', 'config']

/**
 * The flags as a command understands them. One that it does not have is no word to be lost: whoever says --dry-run wants
 * nothing to be touched. @throws UsageError
 */
export function ownFlags(name: string, flags: FlagValues): FlagValues {
  const own: readonly string[] = Object.entries(commandFlags).find(([command]) => command === name)?.[1] ?? []
  const known = new Set<string>([...own, ...anywhere, ...(withDocuments.includes(name) ? documentFlags : [])])
  // Where a report is for people or for programs, --format only says which of the two.
  const { format: [format] = [], ...others } = flags
  const isPlain =
    own.includes('json') && !known.has('format') && ['json', 'auto', 'text', 'pretty'].includes(format ?? '')
  const understood = isPlain ? others : flags
  const stranger = Object.keys(understood).find((flag) => !known.has(flag))
  if (stranger === undefined) return understood
  const shown = stranger === 'format' ? `${stranger} ${format}` : stranger
  throw new UsageError(`clada ${name} has no --${shown}. Its flags: clada help ${name}`)
}
