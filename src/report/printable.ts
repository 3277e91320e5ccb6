/**
 * Text from files and commands must not drive the terminal of whoever reads the report: control characters, and
 * those that turn the reading direction, are shown by their code.
 */
export function printable(text: string): string {
  return text.replace(unsafe, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16)
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
  })
}

// eslint-disable-next-line no-control-regex -- they are what is looked for
const unsafe = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g
