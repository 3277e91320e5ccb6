import type { Call } from '../policy/commands/rule.ts'

/** The arguments by which ripgrep does what grep would do, for machines without grep. */
export function ripgrepArgs(call: Call, options: readonly string[], words: readonly string[]): string[] {
  const args = ['--no-config', '--no-ignore', '--hidden', '--color=never', '--no-heading', '--no-line-number']
  args.push('--path-separator=/', '--sort=path')
  const convert = call.has('-F') ? (text: string) => text : (text: string) => fromPosix(text, call.has('-E'))
  const waiting = [...call.options]
  for (let option = waiting.shift(); option !== undefined; option = waiting.shift()) {
    const [, name = option, value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(option) ?? []
    if (name === '--include') args.push(`--glob=${value}`)
    else if (option === '-e') args.push('-e', convert(waiting.shift() ?? ''))
    else if (/^-[ABCm]$/.test(option)) args.push(option, waiting.shift() ?? '')
    else args.push(...(renamed[option] ?? [option]))
  }
  // Files that are blocked are excluded after everything else, because the last glob that matches counts.
  for (const option of options) {
    const [, dir, name] = /^--exclude(-dir)?=(.*?)\/?$/s.exec(option) ?? []
    if (name !== undefined) args.push(`--iglob=!${name}${dir === undefined ? '' : '/'}`)
  }
  const [pattern = '', ...files] = call.has('-e') ? ['', ...words] : words
  if (!call.has('-e')) args.push('-e', convert(pattern))
  if (call.has('-r')) args.push('--null', '-H')
  return [...args, '--', ...files, ...(call.has('-r') && files.length === 0 ? ['.'] : [])]
}

/** Options that ripgrep spells otherwise, or does not need. */
const renamed: Readonly<Record<string, readonly string[]>> = {
  '-n': ['--line-number'],
  '-c': ['--count', '--include-zero'],
  '-L': ['--files-without-match'],
  '-h': ['--no-filename'],
  '-s': ['--no-messages'],
  '-E': [],
  '-r': [],
}

/**
 * A pattern of POSIX for ripgrep. In a basic one `( ) { } + ? |` are ordinary characters, and special with a backslash;
 * in an extended one it is the other way round, as in ripgrep.
 */
export function fromPosix(pattern: string, extended: boolean): string {
  let first = true
  return pattern.replace(/\\[\s\S]|\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]|[\s\S]/g, (part) => {
    const begins = first
    first = part === '\\(' || part === '\\|' || (begins && part === '^')
    if (part === '\\<' || part === '\\>') return '\\b'
    // In brackets a backslash and a second bracket are ordinary.
    if (part.length > 1 && part.startsWith('[')) {
      const [, open = '', inner = ''] = /^(\[\^?)([\s\S]*)\]$/.exec(part) ?? []
      const classes = inner.replace(/\[:\w+:\]|[\\[\]&~]/g, (one) => (one.length > 1 ? one : `\\${one}`))
      return `${open}${classes}]`
    }
    if (extended) return part
    if (/^\\[(){}+?|]$/.test(part)) return part.slice(1)
    if (part === '*' && begins) return '\\*'
    return /^[(){}+?|]$/.test(part) ? `\\${part}` : part
  })
}
