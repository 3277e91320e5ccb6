export type Eol = '\n' | '\r\n'

/** The line end most lines have; LF when there is none or as many of each. A lone CR is not counted. */
export function dominantEol(text: string): Eol {
  let crlf = 0
  let lf = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) === 13) crlf++
    else lf++
  }
  return crlf > lf ? '\r\n' : '\n'
}

/** Every LF and CRLF as `eol`; a lone CR stays. */
export function toEol(text: string, eol: Eol): string {
  return text.replace(/\r?\n/g, eol)
}
