import { type Call, type Meaning, meaningOf, refuse, type Refused, type Rendered, unfitForUtf8 } from '../call.ts'
import { CDATA, innerOpening } from './open.ts'

export function writeCml(call: Call): Rendered {
  const meaning = meaningOf(call)
  if ('refused' in meaning) return meaning
  const unfit = unfitIn(call)
  return unfit ?? elementOf(meaning)
}

export const writeCmlGroup = (texts: readonly string[], { atomic }: { atomic: boolean }): string =>
  [`<tasks${atomic ? ' atomic="true"' : ''}>`, ...texts, '</tasks>'].join('\n')

function unfitIn({ params }: Call): Refused | undefined {
  for (const value of Object.values(params)) {
    const unfit = unfitForUtf8(value)
    if (unfit !== undefined) return refuse(unfit)
  }
  for (const name of ['path', 'old_path', 'new_path', 'dir', 'cwd', 'lang', 'lines', 'timeout']) {
    const value = params[name]
    if (value === '') return refuse(`does not allow an empty ${name === 'dir' ? 'dir' : 'path'}`)
    if (value !== undefined && notInXml.test(value)) return refuse('does not allow control characters in an attribute')
  }
  return undefined
}

/** Not even as references. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

function elementOf(meaning: Meaning): Rendered {
  switch (meaning.kind) {
    case 'write': {
      const append = meaning.append ? ' append="true"' : ''
      return { text: `<write path=${quoted(meaning.path)}${append}>${cdata(meaning.content)}</write>` }
    }
    case 'edit': {
      const [first, end] = meaning.old
      if (first === '' || end === '') return refuse('does not allow an empty search')
      const count = meaning.count === '1' ? '' : ` count=${quoted(meaning.count)}`
      const searched =
        end === undefined ? [part('search', first)] : [part('search-start', first), part('search-end', end)]
      const parts = [...searched, part('replace', meaning.replacement)]
      return { text: [`<edit path=${quoted(meaning.path)}${count}>`, ...parts, '</edit>'].join('\n') }
    }
    case 'run': {
      if (meaning.command.trim() === '') return refuse('does not allow an empty command')
      const dir = meaning.dir === undefined ? '' : ` dir=${quoted(meaning.dir)}`
      return { text: `<run${dir}>${cdata(meaning.command)}</run>` }
    }
    case 'read': {
      const lines = meaning.lines === undefined ? '' : ` lines=${quoted(meaning.lines)}`
      return { text: `<read path=${quoted(meaning.path)}${lines}/>` }
    }
    case 'exec': {
      if (meaning.code.trim() === '') return refuse('does not allow empty code')
      const dir = meaning.dir === undefined ? '' : ` dir=${quoted(meaning.dir)}`
      const timeout = meaning.timeout === undefined ? '' : ` timeout=${quoted(meaning.timeout)}`
      return { text: `<exec lang=${quoted(meaning.lang)}${dir}${timeout}>${cdata(meaning.code)}</exec>` }
    }
    case 'move':
      return { text: `<move from=${quoted(meaning.from)} to=${quoted(meaning.to)}/>` }
    case 'remove':
      return { text: `<remove path=${quoted(meaning.path)}/>` }
  }
}

const part = (name: string, text: string): string => `<${name}>${cdata(text)}</${name}>`

/**
 * Content, in as many sections as it takes: what a section would read as something else is cut in two, and one
 * section holds the first half, the next the second.
 */
function cdata(text: string): string {
  const cuts = /(?<=\]\])(?=&gt;)|(?<=\r)(?=\n)/g
  const sections = text.split(cuts).flatMap((section) => {
    const written = section.replaceAll(']]>', ESCAPED)
    const open = innerOpening(written, 0, written.length) !== -1
    return open ? section.split(/(?<=<!\[)(?=CDATA\[)/) : [section]
  })
  return sections.map((section) => `${CDATA}${section.replaceAll(']]>', ESCAPED)}]]>`).join('')
}

const ESCAPED = ']]&gt;'

/** White space is written as references, because a parser makes spaces of it. */
const quoted = (value: string): string =>
  `"${value.replace(/[&<>"\t\n\r]/g, (found) => references[found] ?? `&#${found.charCodeAt(0)};`)}"`

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
