import path from 'node:path'
import type { PathArg } from '../core/files.ts'
import { Stop } from '../core/problem.ts'
import type { Argument } from '../policy/commands/rule.ts'
import type { CommandScope, Place } from './scope.ts'

/**
 * Checks a path operand like the path of an action, and spells it so that the program means the same file. A program
 * would follow `link/..` to where the link leads; what was checked is the cleaned path, so that is what it gets.
 *
 * @throws Stop
 */
export async function checkedOperand({ text, as }: Argument, place: Place, scope: CommandScope): Promise<string> {
  const arg: PathArg = { given: text, absolute: path.resolve(place.absolute, text) }
  const found = await scope.files.look(arg, as === 'content' ? 'read' : 'list')
  if (found?.type === 'symlink') throw refusedLink(text)
  if (found?.type === 'other') throw new Stop({ kind: 'not-regular', path: text, type: 'special file', op: 'open' })
  if (as === 'content' && found?.type === 'file' && hasOtherNames(found)) throw refusedNames(text, found.links)
  if (!text.split('/').includes('..')) return text
  return path.relative(place.absolute, arg.absolute) || '.'
}

/** Package managers link from their store; elsewhere a second name may be that of a closed file. */
export const hasOtherNames = ({ links, absolute }: { links: number; absolute: string }): boolean =>
  links > 1 && !absolute.split('/').includes('node_modules')

export const refusedLink = (given: string): Stop =>
  new Stop({
    kind: 'path',
    rule: 'symlink_not_allowed',
    path: given,
    reason: 'it is a symbolic link',
    advice: 'Use the path of the real file.',
  })

const refusedNames = (given: string, links: number): Stop =>
  new Stop({
    kind: 'path',
    rule: 'path_denied',
    path: given,
    reason: `the file has ${links} names (hard links), so its content may belong to a file that is closed`,
    advice: 'Copy it to a name of its own, or read it under that name.',
  })
