/** Files that a shell script writes as a whole: `cat > path <<'EOF'`. */
export interface Heredoc {
  readonly path: string
  readonly append: boolean
  /** Index of the line with the command, and of the delimiter; the number of lines where that is missing. */
  readonly first: number
  readonly end: number
  readonly isClosed: boolean
  readonly rows: readonly string[]
  /** What only a shell knows of the file it would write. */
  readonly trouble?: 'path' | 'text'
}

const CAT =
  /(?:^|[;&|]\s*)(?:sudo\s+)?(?<tool>cat|tee)\b(?<args>[^;&|]*<<-?\s*(?<quote>["']?|\\)(?<word>\w+)["']?[^;&|]*)(?:$|[;&|])/
const TARGET = /(?:(?<to>>>?)\s*|^\s*(?<append>-a\s+)?)(?<name>"[^"]+"|'[^']+'|[^\s<>"'-][^\s<>"']*)/

export function findHeredocs(rows: readonly string[]): Heredoc[] {
  const found: Heredoc[] = []
  for (let at = 0; at < rows.length; at++) {
    const { tool, args, quote = '', word } = CAT.exec(rows[at] ?? '')?.groups ?? {}
    if (args === undefined || word === undefined) continue
    const target = TARGET.exec(args.replace(/<<-?\s*\S+/, ' '))?.groups
    const name = target?.['name']
    if (target === undefined || name === undefined || (tool === 'cat' && target['to'] === undefined)) continue
    const path = name.replace(/^(["'])(.*)\1$/, '$2')
    const append = target['to'] === '>>' || target['append'] !== undefined
    const strip = /<<-/.test(args)
    let end = at + 1
    while (end < rows.length && (strip ? rows[end]?.trimStart() : rows[end]) !== word) end++
    const body = rows.slice(at + 1, end)
    const content = strip ? body.map((row) => row.replace(/^\t+/, '')) : body
    found.push({
      path,
      append,
      first: at,
      end,
      isClosed: end < rows.length,
      rows: content,
      ...findShellTrouble(path, quote, content),
    })
    at = end
  }
  return found
}

function findShellTrouble(path: string, quote: string, rows: readonly string[]): Pick<Heredoc, 'trouble'> {
  if (/[$`*?{}]|^~/.test(path)) return { trouble: 'path' }
  const isRaw = quote !== '' || !rows.some((row) => /[$`\\]/.test(row))
  return isRaw ? {} : { trouble: 'text' }
}
