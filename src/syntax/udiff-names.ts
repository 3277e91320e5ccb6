/** A name of a diff: null for /dev/null, undefined when it is quoted and the quotes make no sense. */
export function nameOf(written: string): string | null | undefined {
  const text = written.trim()
  if (text.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
    return quoted === undefined ? undefined : unescaped(quoted)
  }
  const tab = text.indexOf('\t')
  const name = tab === -1 ? text : text.slice(0, tab).trimEnd()
  const bare = name.includes(':') ? name.replace(/\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$/, '') : name
  return bare === '/dev/null' ? null : bare
}

/** Both names of git's header. Without quotes they can be told apart only where they are the same. */
export function gitNames(written: string): { old: string; new: string } | undefined {
  const text = written.trim()
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(text)
  if (quoted !== null) {
    const old = nameOf(quoted[1] ?? '')
    const added = nameOf(quoted[2] ?? '')
    return typeof old === 'string' && typeof added === 'string' ? { old, new: added } : undefined
  }
  const half = (text.length - 1) / 2
  if (!Number.isInteger(half) || text[half] !== ' ') return undefined
  const old = text.slice(0, half)
  const added = text.slice(half + 1)
  return withoutSides(old, added).old === withoutSides(old, added).new ? { old, new: added } : undefined
}

/** Names without "a/" and "b/", which say which side a name is of, and only where both of them say so. */
export function withoutSides(
  old: string | null,
  added: string | null,
): { readonly old: string | null; readonly new: string | null } {
  const bareOld = old?.startsWith('a/') ? old.slice(2) : old
  const bareNew = added?.startsWith('b/') ? added.slice(2) : added
  const both = bareOld !== old && bareNew !== added
  const one = old === null || added === null || (old !== added && bareOld === bareNew)
  return both || one ? { old: bareOld, new: bareNew } : { old, new: added }
}

/** As C writes it; bytes are octal, and together they are UTF-8. */
function unescaped(text: string): string | undefined {
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [whole, octal, letter] of text.matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter !== undefined) {
      const code = ESCAPES.get(letter)
      if (code === undefined) return undefined
      bytes.push(code)
    } else bytes.push(...encoder.encode(whole))
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(new Uint8Array(bytes))
  } catch {
    return undefined
  }
}

const ESCAPES = new Map([
  ['a', 7],
  ['b', 8],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['"', 34],
  ['\\', 92],
])
