import MarkdownIt from 'markdown-it'

interface Token {
  readonly type: 'heading' | 'code'
  readonly depth?: number
  readonly text: string
}

/** As much of the package `marked` as these tests use. */
export const marked = {
  lexer: (markdown: string): Token[] => {
    const tokens = new MarkdownIt().parse(markdown, {})
    return tokens.flatMap(({ type, tag, content }, at): Token[] => {
      if (type === 'fence') return [{ type: 'code', text: content.replace(/\n$/, '') }]
      return type === 'heading_open'
        ? [{ type: 'heading', depth: Number(tag.slice(1)), text: tokens[at + 1]?.content ?? '' }]
        : []
    })
  },
}
