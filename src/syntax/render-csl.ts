import { parseMarker, type Delimiters } from './csl-marker.ts'
import {
  between,
  meaningOf,
  refuse,
  unfitForLines,
  type Call,
  type Edit,
  type Refused,
  type Rendered,
} from './render-call.ts'

/** Writes calls in CSL. */
export class CslRenderer {
  readonly #delimiters: Delimiters

  constructor(delimiters: Delimiters) {
    this.#delimiters = delimiters
  }

  call(call: Call): Rendered {
    const meaning = meaningOf(call)
    if ('refused' in meaning) return meaning
    switch (meaning.kind) {
      case 'write': {
        const append = meaning.append ? ' append="true"' : ''
        return this.#operation(`WRITE file=${quoted(meaning.path)}${append}`, meaning.path, [
          { text: meaning.content, closers: ['END'] },
        ])
      }
      case 'edit':
        return this.#search(meaning)
      case 'run': {
        const { command, dir } = meaning
        if (command === '') return refuse('has no empty RUN')
        const attribute = dir === undefined ? '' : ` dir=${quoted(dir)}`
        return this.#operation(`RUN${attribute}`, dir ?? '.', [{ text: command, closers: ['END'] }])
      }
      case 'move':
      case 'remove':
        return refuse(`has nothing that says ${call.action}`)
    }
  }

  /** Several operations that stand or fall together. */
  group(texts: readonly string[], { atomic }: { atomic: boolean }): string {
    return [this.#marker(`TASKS${atomic ? ' atomic="true"' : ''}`), ...texts, this.#marker('END')].join('\n')
  }

  #search({ path, old: [first, end], replacement, count }: Edit): Rendered {
    if (first === '' || end === '') return refuse('has no empty SEARCH or TO')
    // As the models are taught it: one place is not worth a count.
    const times = count === '1' ? '' : ` count=${quoted(count)}`
    return this.#operation(`SEARCH file=${quoted(path)}${times}`, path, [
      { text: first, closers: ['TO', 'REPLACE', 'END'] },
      ...(end === undefined ? [] : [{ opens: 'TO', text: end, closers: ['REPLACE'] }]),
      { opens: 'REPLACE', text: replacement, closers: ['END'] },
    ])
  }

  #operation(opening: string, attribute: string, parts: readonly Part[]): Rendered {
    const unfit = this.#unfitAttribute(attribute) ?? this.#unfitPart(parts)
    if (unfit !== undefined) return unfit
    const lines = parts.map(({ opens, text }) => `${this.#marker(opens ?? opening)}\n${between(text)}`)
    return { text: `${lines.join('')}${this.#marker('END')}` }
  }

  #unfitAttribute(value: string): Refused | undefined {
    if (value === '') return refuse('has no empty file or dir')
    if (/[\r\n]/.test(value)) return refuse('has no line break in an attribute')
    const unfit = unfitForLines(value)
    return unfit === undefined ? undefined : refuse(unfit)
  }

  #unfitPart(parts: readonly Part[]): Refused | undefined {
    for (const { text, closers } of parts) {
      const unfit = unfitForLines(text)
      if (unfit !== undefined) return refuse(unfit)
      const marker = this.#closerIn(text, closers)
      if (marker !== undefined) return refuse(`would end the text at its own line ${marker}`)
    }
    return undefined
  }

  /** The first line that would be read as a marker. */
  #closerIn(text: string, closers: readonly string[]): string | undefined {
    const { start } = this.#delimiters
    if (!text.includes(start)) return undefined
    return text.split('\n').find((line) => {
      if (!line.startsWith(start)) return false
      const marker = parseMarker(line, this.#delimiters, 0)
      return marker !== undefined && closers.includes(marker.name)
    })
  }

  #marker(inner: string): string {
    return this.#delimiters.start + inner + this.#delimiters.end
  }
}

interface Part {
  /** The marker above it; the operation's own when there is none. */
  readonly opens?: string
  readonly text: string
  /** What is a marker in it. */
  readonly closers: readonly string[]
}

const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`
