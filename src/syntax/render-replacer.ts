import { between, meaningOf, refuse, unfitForLines, type Call, type Rendered } from './render-call.ts'
import { isMarkerLine } from './replacer-walk.ts'

/** Writes a call in the replacer's syntax. */
export function renderReplacer(call: Call): Rendered {
  const meaning = meaningOf(call)
  if ('refused' in meaning) return meaning
  if (meaning.kind === 'write') {
    if (meaning.append) return refuse('has nothing that appends')
    return written(call, meaning.path, [['OVERWRITE', meaning.content]])
  }
  if (meaning.kind !== 'edit') return refuse(`has nothing that says ${call.action}`)
  const { old, replacement, count, path } = meaning
  const [search, end] = old
  if (end !== undefined) return refuse('has nothing that says where a passage ends')
  if (count !== '1') return refuse('replaces a text that occurs once, and nothing else')
  if (search.trim() === '') return refuse('has no blank <<<SEARCH>>>')
  if (replacement !== '' && replacement.trim() === '') return refuse('takes a blank <<<REPLACE>>> for none')
  // A blank line says that the deletion is meant; nothing at all would be warned of.
  return written(call, path, [
    ['SEARCH', search],
    ['REPLACE', replacement === '' ? ' ' : replacement],
  ])
}

function written({ explanation = '' }: Call, path: string, edit: readonly Section[]): Rendered {
  if (path === '' || path !== path.trim() || /[\r\n]/.test(path)) {
    return refuse('has a path on one line, with no blanks around it')
  }
  const why: readonly Section[] = explanation === '' ? [] : [['EXPLANATION', explanation]]
  const sections: readonly Section[] = [...why, ['FILE', path], ...edit]
  for (const [, text] of sections) {
    const unfit = unfitForLines(text)
    if (unfit !== undefined) return refuse(unfit)
    const marker = text.split('\n').find(isMarkerLine)
    if (marker !== undefined) return refuse(`would end the text at its own line ${marker}`)
  }
  return { text: `${sections.map(([name, text]) => `<<<${name}>>>\n${between(text)}`).join('')}<<<END>>>` }
}

type Section = readonly [name: string, text: string]
