import type { Source } from '../core/source.ts'
import type { Fault } from './structure.ts'

/**
 * What a full parser says of TypeScript and JavaScript, whose grammars see errors where there are none. Undefined where
 * its native part is not installed: then the grammar alone judges.
 */
export async function oxcFaults(path: string, source: Source): Promise<Fault[] | undefined> {
  parser ??= import('oxc-parser').catch(() => undefined)
  const loaded = await parser
  if (loaded === undefined) return undefined
  const { errors } = loaded.parseSync(fileName(path), source.text)
  // What it holds outside of our heap is let go between turns of the event loop only.
  await new Promise((resume) => setImmediate(resume))
  return errors
    .filter(({ severity }) => severity === 'Error')
    .map(({ message, labels }) => {
      const offset = labels[0]?.start ?? 0
      const line = source.lineAt(offset)
      const around = source.line(line).trim()
      return { line, column: offset - source.startOf(line) + 1, message, key: `${message} | ${around}` }
    })
}

let parser: Promise<typeof import('oxc-parser') | undefined> | undefined

/** The extension decides what it takes the file for; without one it is JavaScript, as for node. */
const fileName = (path: string): string => (/\.[cm]?[jt]sx?$/.test(path) ? path : `${path}.js`)
