import { outlineBody } from '../../actions/structure-output.ts'
import { Clada } from '../../api/clada.ts'
import type { OutlineEntry } from '../../structure/document.ts'
import { outlineView } from '../../structure/outline-view.ts'
import { spellOut } from '../../report/words.ts'
import type { Command } from '../command.ts'
import { general, UsageError } from '../flags.ts'
import { cladaOptions, resolveTypedPath } from '../options.ts'
import { failureText } from '../print-step.ts'
import { columnsOf, print, printJson } from '../streams.ts'
import { truncateToWidth } from '../../report/width.ts'

/** The structures of a file: those that a person would name, or all that `list_structures` gives. */
export const command: Command = {
  name: 'outline',
  group: 'everyday',
  usage: 'clada outline FILE',
  summary: 'list the structures of a file',
  about:
    'Lists classes, functions, methods, types, fields, sections, keys, and the constants at the top level.\nLocals, loops and conditions inside code are structures too, which actions can name: --all lists them as well.',
  flags: ['root', 'no-config', 'allow', 'allow-escape', 'all', 'json', ...general],
  examples: [
    ['clada outline src/cart.ts', 'classes, functions and what is in them'],
    ['clada outline src/cart.ts --all', 'everything that an action can name'],
  ],
  run: async ({ flags, words }) => {
    const [file, extra] = words
    if (file === undefined || extra !== undefined) throw new UsageError('outline needs one file: clada outline FILE')
    const options = await cladaOptions(flags)
    const result = await new Clada(options).perform('list_structures', {
      path: resolveTypedPath(file, flags, options),
      depth: '100',
      steps: 'true',
    })
    const [only] = result.results
    const all = only?.success ? outlineEntriesIn(only.data) : undefined
    const structures = all === undefined || flags.all !== undefined ? all : outlineView(all)
    if (flags.json !== undefined) printJson(structures ? { structures } : (only ?? result))
    else if (structures !== undefined && structures.length > 0) print(fitLine(spellOut(outlineBody(structures))))
    else if (all !== undefined)
      print(all.length === 0 ? '[no structures]' : '[no declarations; --all shows the statements]')
    else print(failureText(result, flags, 1))
    return result.success ? 0 : 1
  },
}

/** A header that is longer than the terminal is wide is cut: the lines stay a list. */
function fitLine(text: string): string {
  const columns = columnsOf(1)
  if (columns === undefined) return text
  return text
    .split('\n')
    .map((line) => truncateToWidth(line, columns))
    .join('\n')
}

const outlineEntriesIn = (data: unknown): readonly OutlineEntry[] | undefined =>
  typeof data === 'object' && data !== null && 'structures' in data && Array.isArray(data.structures)
    ? data.structures
    : undefined
