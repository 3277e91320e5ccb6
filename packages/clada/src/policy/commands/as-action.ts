import { lookUp } from '@clada/reply/core/look-up.ts'
import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { splitCommand } from './words.ts'

/** The action that a command means, with its parameters; paths are as the command has them. */
export interface CommandAction {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  /** The directory of a leading `cd DIR &&`. */
  readonly cd: string | undefined
}

/**
 * Commands by which models look around, and which are run as the action that does the same: `sed -n 80,125p FILE`, `nl`,
 * `cat -n`, `rg`. Undefined for every other command; a reason where such a command asks for more than the action can do.
 */
export function commandAsAction(
  command: string,
): CommandAction | { readonly reason: string; readonly advice: string } | undefined {
  const split = splitCommand(command)
  if (!split.ok) return undefined
  const { cd, words } = split.line
  const [name, ...rest] = words.map(({ text }) => text)
  if (words.some(({ glob, quoted }) => glob !== undefined && !quoted && name !== 'rg')) return undefined
  const meant = name === undefined ? undefined : lookUp(readers, name)?.(rest)
  return meant === undefined || 'reason' in meant ? meant : { ...meant, cd: cd?.text }
}

type Meant = Omit<CommandAction, 'cd'> | { readonly reason: string; readonly advice: string } | undefined

const readNumbered = (path: string, lines?: string): Meant => ({
  action: 'file_read_numbered',
  params: withoutUndefined({ path, lines }),
})

const readers: Readonly<Record<string, (words: readonly string[]) => Meant>> = {
  sed: (words) => {
    const [quiet, script, file, more] = words
    const ranges = quiet === '-n' && script !== undefined ? printedRanges(script) : undefined
    if (ranges !== undefined && file !== undefined && more === undefined && !file.startsWith('-'))
      return readNumbered(file, ranges)
    if (quiet === '-i' || quiet?.startsWith('-i'))
      return { reason: 'sed -i changes files', advice: 'Use file_edit, or files_replace_all_text for many files.' }
    return {
      reason: 'only sed -n FIRST,LASTp FILE is understood',
      advice: 'Use file_read_numbered with lines to read, and file_edit or file_replace_lines to change.',
    }
  },
  nl: (words) => {
    const [file, more] = words.filter((word) => !/^-(?:ba|b|a|ln|w\d+|)$/.test(word) && word !== 'a')
    return file === undefined || more !== undefined || file.startsWith('-') ? undefined : readNumbered(file)
  },
  cat: (words) => {
    const [option, ...files] = words
    if ((option !== '-n' && option !== '--number') || files.length === 0) return undefined
    if (files.some((file) => file.startsWith('-'))) return undefined
    const [only, more] = files
    return only !== undefined && more === undefined
      ? readNumbered(only)
      : { action: 'files_read_numbered', params: { paths: files.join('\n') } }
  },
  rg: ripgrep,
}

/** `80,125p`, `5p`, several with `;` between, as lines of `file_read_numbered`. */
function printedRanges(script: string): string | undefined {
  const parts = script.split(';').map((part) => /^\s*(\d+)(?:,(\d+))?\s*p\s*$/.exec(part))
  const ranges = parts.map((part) => part && (part[2] === undefined ? part[1] : `${part[1]}-${part[2]}`))
  return ranges.every((range) => range !== null && range !== undefined) ? ranges.join(',') : undefined
}

function ripgrep(words: readonly string[]): Meant {
  const params: Record<string, string> = { regex: 'true' }
  const operands: string[] = []
  const waiting = [...words]
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    if (word === '--') operands.push(...waiting.splice(0))
    else if (/^-[niFHIS]+$/.test(word)) {
      if (word.includes('i')) params['ignore_case'] = 'true'
      if (word.includes('F')) params['regex'] = 'false'
    } else if (word === '--line-number' || word === '--no-heading' || word === '--with-filename') continue
    else if (word === '--ignore-case') params['ignore_case'] = 'true'
    else if (word === '--fixed-strings') params['regex'] = 'false'
    else if (word === '-g' || word === '--glob') params['include'] = waiting.shift() ?? ''
    else if (word.startsWith('--glob=')) params['include'] = word.slice('--glob='.length)
    else if (word === '-t' || word === '--type') params['include'] = `*.${waiting.shift() ?? ''}`
    else if (word === '-e') operands.unshift(waiting.shift() ?? '')
    else if (word.startsWith('-'))
      return {
        reason: `rg is run as grep, which has no ${word}`,
        advice: 'Use grep with pattern, path, and if needed include, regex="true" and ignore_case="true".',
      }
    else operands.push(word)
  }
  const [pattern, path = '.', more] = operands
  if (pattern === undefined || pattern === '' || more !== undefined)
    return { reason: 'rg is run as grep, which takes one pattern and one path', advice: 'Use grep once for each path.' }
  return { action: 'grep', params: { ...params, pattern, path } }
}
