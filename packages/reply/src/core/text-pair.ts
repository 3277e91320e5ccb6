/** A text and the text to put in its place. */
export interface TextPair {
  readonly old_text: string
  readonly new_text: string
  /** No new lines were given, so the old ones go with their line breaks. */
  readonly deletesLines?: true
}
