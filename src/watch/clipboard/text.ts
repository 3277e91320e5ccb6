/** Clipboards hold UTF-8 when they hold text. What is none is no text: an image, say. */
export function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return ''
  }
}

/** A BOM is part of the text like any other character. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Windows breaks every line of a copied text with CRLF, whatever it was before. A text that is broken so throughout gets
 * its LF back; one that mixes them was written that way and stays.
 */
export const fromWindows = (text: string): string => (/(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n'))
