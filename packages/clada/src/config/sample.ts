import { wrapWords } from '@clada/reply/core/words.ts'
import { keyNames, type KeyName, keyOf } from './keys.ts'

/** The schema for editors, in the package. */
export const schemaFile = 'schema/clada.schema.json'

/**
 * The file that `clada init` writes: every key with its default, so that there is nothing to look up. `schema` is what
 * editors are pointed to.
 */
export function sampleFile(schema: string): string {
  const lines = [
    `# yaml-language-server: $schema=${schema}`,
    '#',
    '# Settings of clada for this project. Every key is listed with its default; remove the # before it to change it.',
    '# Flags override this file, and this file overrides ~/.config/clada/config.yml. It can restrict what you allow',
    '# there. Anything that would allow more is ignored until you run clada trust, and again after each change.',
    '# clada config shows the effective values and their sources.',
    '',
    'version: 1',
  ]
  let group = ''
  for (const name of keyNames.filter((one) => one !== 'version')) {
    const [first = '', inner] = name.split('.')
    lines.push('')
    if (inner !== undefined && first !== group) lines.push(`#${first}:`)
    group = first
    for (const line of wrapWords(keyOf(name).about.split(' '), 116)) lines.push(`# ${line}`)
    lines.push(`# Example: ${keyOf(name).example}`)
    lines.push(`#${inner === undefined ? '' : '  '}${inner ?? first}: ${yamlOf(name, fileDefault(name))}`)
  }
  return `${lines.join('\n')}\n`
}

/** The value that changes nothing in a file. */
export function fileDefault(name: KeyName): unknown {
  const { join, default: initial } = keyOf(name)
  if (join === undefined) return initial
  return Array.isArray(initial) ? [] : {}
}

/** A value as a person would write it, on one line. */
export function yamlOf(name: KeyName, value: unknown): string {
  const { write } = keyOf(name).kind
  const written = write === undefined ? value : write(value)
  const inline = (one: unknown): string => (typeof one === 'string' && isPlainYaml(one) ? one : JSON.stringify(one))
  return Array.isArray(written) && written.every((one) => typeof one === 'string')
    ? `[${written.map(inline).join(', ')}]`
    : inline(written)
}

/** Whether a text needs no quotes in YAML. */
const isPlainYaml = (text: string): boolean =>
  /^(?:[A-Za-z.][\w./-]*(?: [\w./-]+)*|\d+[kmg])$/.test(text) &&
  !/^(?:true|false|null|\.\d*|\.(?:nan|inf))$/i.test(text)
