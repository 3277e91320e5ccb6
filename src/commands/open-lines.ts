import path from 'node:path'
import type { Call } from '../policy/commands/rule.ts'
import type { ProcessEnd } from '../process/run-process.ts'
import { hasOtherNames } from './operands.ts'
import type { CommandScope, Place } from './scope.ts'

/**
 * What a recursive grep found, without the lines of files that are closed. Its options leave out the names it can
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
  return kept + end.stderr
}

async function openFile(file: string, place: Place, scope: CommandScope): Promise<boolean> {
  try {
    const found = await scope.files.look({ given: file, absolute: path.resolve(place.absolute, file) }, 'read')
    return found?.type === 'file' && !hasOtherNames(found)
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
