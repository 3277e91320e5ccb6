/** A name with a line break in it must not look like two lines. */
export const oneLined = (name: unknown): string =>
  String(name).replace(/[\r\n\u2028\u2029]/g, (char) => (char === '\n' ? '\\n' : char === '\r' ? '\\r' : '?'))
