/**
 * Text from files and commands must not control the terminal of the reader: control characters, and
 * those that turn the reading direction, are shown by their code.
 */
export function printable(text: string): string {
  return text.replace(unsafe, byCode)
}

/** Shows invisible characters, which a model reads. Those that some languages need stay. */
export const withoutHidden = (text: string): string =>
  text.replace(/[\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu, byCode)

function byCode(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16)
  if (code.length > 4) return `\\u{${code}}`
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const unsafe = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g
