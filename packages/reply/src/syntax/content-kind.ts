/** What a reply without blocks has instead of them. */
export type ContentKind = 'nothing' | 'prose' | 'code'

export function contentKindOf(text: string): ContentKind {
  if (text.trim() === '') return 'nothing'
  return /^ {0,3}(?:`{3}|~{3})/m.test(text) ? 'code' : 'prose'
}
