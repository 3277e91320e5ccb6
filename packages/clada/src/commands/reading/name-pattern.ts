/** Tests names by a pattern of the shell: `*`, `?`, and `[…]`. */
export function namePattern(pattern: string, flags: '' | 'i' = ''): (name: string) => boolean {
  const test = new RegExp(`^${expressionOf(pattern)}$`, `s${flags}`)
  return (name) => test.test(name)
}

const expressionOf = (pattern: string): string =>
  pattern.replace(/\\[\s\S]|\[!?\]?[^\]]*\]|[\s\S]/g, (part) => {
    if (part === '*') return '.*'
    if (part === '?') return '.'
    if (part.length > 1 && part.startsWith('[')) {
      const isNegated = part.startsWith('[!')
      return `[${isNegated ? '^' : ''}${part.slice(isNegated ? 2 : 1, -1).replace(/[\\^\]]/g, '\\$&')}]`
    }
    return part.replace(/^\\(?=[\s\S])/, '').replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
  })
