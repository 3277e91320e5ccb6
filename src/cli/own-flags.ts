import { type FlagValues, runFlags, UsageError } from './flags.ts'
import { commands } from './help.ts'

/** Which project is meant, and how it is told: these harm nowhere. */
const anywhere = ['root', 'no-config', 'quiet', 'no-color', 'help', 'version']

/** A document is read or carried out by these, so what is said about carrying one out may stand there. */
const withDocuments = ['run', 'check', 'convert', 'diff', 'do', 'watch', 'ui', 'mcp', 'config']

/** What can be said about how a document is carried out. How the report reads is for each command to say. */
const documentFlags = runFlags.filter((name) => !['format', 'json', 'dry-run'].includes(name))

/**
 * The flags as a command understands them. One that it does not have is no word to be lost: whoever says --dry-run wants
 * nothing to be touched. @throws UsageError
 */
export function ownFlags(name: string, flags: FlagValues): FlagValues {
  const own = commands.find((command) => command.name === name)?.flags ?? []
  const known = new Set([...own, ...anywhere, ...(withDocuments.includes(name) ? documentFlags : [])])
  const { format: [format] = [], ...others } = flags
  const plain = own.includes('json') && !known.has('format') && format !== undefined
  // Where a report is for people or for programs, --format says which of the two.
  const understood =
    plain && format === 'json'
      ? { ...others, json: [''] }
      : plain && ['auto', 'text', 'pretty'].includes(format)
        ? others
        : flags
  const stranger = Object.keys(understood).find((flag) => !known.has(flag))
  if (stranger === undefined) return understood
  const shown = stranger === 'format' ? `${stranger} ${format}` : stranger
  throw new UsageError(`clada ${name} has no --${shown}. Its flags: clada help ${name}`)
}
