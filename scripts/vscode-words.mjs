// The words of the extension for translators: those of its manifest, and those of its code.
import fs from 'node:fs'
import path from 'node:path'

const translated = new Set([
  'title',
  'displayName',
  'description',
  'name',
  'contents',
  'markdownDescription',
  'category',
])

/** A manifest with keys in the place of its words, and the words by their keys. */
export function withoutWords(manifest) {
  const words = {}
  const keyed = (key, text) => {
    words[key] = text
    return `%${key}%`
  }
  const walk = (value, key) => {
    if (Array.isArray(value)) return value.map((one, index) => walk(one, `${key}.${one?.command ?? one?.id ?? index}`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const full = key === '' ? name : `${key}.${name}`
        return [name, translated.has(name) && typeof inner === 'string' ? keyed(full, inner) : walk(inner, full)]
      }),
    )
  }
  const { displayName, description, contributes, capabilities } = manifest
  const spoken = walk({ displayName, description, contributes, capabilities }, '')
  return { manifest: { ...manifest, ...spoken }, words }
}

/** Every text of `l10n.t('…')`, by itself. */
export function wordsIn(dir) {
  const words = {}
  for (const file of fs.readdirSync(dir).sort()) {
    const code = fs.readFileSync(path.join(dir, file), 'utf8')
    for (const [, text] of code.matchAll(/(?:l10n\.t|\bt)\(\s*'((?:[^'\\]|\\.)*)'/g)) {
      const read = text.replaceAll("\\'", "'")
      words[read] = read
    }
  }
  return words
}
