import { withSlashes } from '../core/paths.ts'
import { globTest } from './glob.ts'

/**
 * What a pattern for whole paths blocks below a directory, as patterns that begin there; `**` is all of it. For programs
 * that only know paths below. Never less than the pattern blocks.
 */
export function belowRoot(pattern: string, root: string): string[] {
  const dirs = withSlashes(root)
    .split('/')
    .filter((part) => part !== '')
  const found = new Set<string>()
  const follow = (parts: readonly string[], below: readonly string[]): void => {
    const [part, ...rest] = parts
    const [dir, ...deeper] = below
    if (part === undefined) found.add('**')
    else if (dir === undefined) found.add(parts.join('/'))
    else if (part === '**') {
      follow(rest, below)
      follow(parts, deeper)
    } else if (globTest(part.toLowerCase(), 'component').test(dir.toLowerCase())) follow(rest, deeper)
  }
  for (const one of expandStars(pattern.split('/').filter((part) => part !== ''))) follow(one, dirs)
  return [...found]
}

/** `a**b` goes on below `a…`, and may as well stay in one name. */
function expandStars(parts: readonly string[]): string[][] {
  return parts.reduce<string[][]>(
    (all, part) => {
      const [first = '', ...others] = part === '**' ? [part] : part.split('**')
      const ways =
        others.length === 0 ? [[first || part]] : [[part.replaceAll('**', '*')], allowAnyDepth(first, others)]
      return all.flatMap((before) => ways.map((way) => [...before, ...way]))
    },
    [[]],
  )
}

const allowAnyDepth = (first: string, others: readonly string[]): string[] =>
  others.reduce((names, other) => [...names.slice(0, -1), `${names.at(-1) ?? ''}*`, '**', `*${other}`], [first])
