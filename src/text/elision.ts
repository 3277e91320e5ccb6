/**
 * A line that a model writes for others which it leaves out, `// ... existing code ...` or the like, in `path`;
 * undefined where there is none. A comment that only has dots in it is none.
 */
export function elisionIn(lines: readonly string[], path: string): string | undefined {
  return lines.map((line) => line.trim()).find((line) => isElision(line, path))
}

function isElision(line: string, path: string): boolean {
  if (!/\.{3}|\u2026|\brest of\b/i.test(line) || line.length > 200) return false
  if (/^(?:\.{3}|\u2026)$/.test(line)) return !mayBeText.test(path)
  const said = comment.exec(line)?.[1]?.trim()
  return said !== undefined && (dots.test(said) || rest.test(said))
}

/** Three dots alone are code in Python, and text in texts. */
const mayBeText = /\.(?:pyi?|ipynb|mdx?|txt|rst|adoc|tex|ya?ml)$|(?:^|[/\\])[^./\\]*$/i

const comment = /^(?:\/\/+|\/\*+|#+|--+|;+|%+|<!--+|\{\/\*+|["']{3})(.*?)(?:\*+\/\}?|--+>|["']{3})?$/

/** Nothing but dots, dots around some words, or dots before words that tell of what is there already. */
const dots =
  /^[[(]?(?:\.{3}|\u2026)(?:[^.\u2026]*(?:\.{3}|\u2026)|\s*(?:the\s+)?(?:existing|rest|remaining|remainder|unchanged|previous|same|other|more|omitted)\b[^.]*)?[\])]?$/i

/** The same without dots, as a whole sentence. */
const rest =
  /^[[(]?(?:keep\s+)?(?:the\s+)?rest of (?:the |your |this )?(?:existing )?(?:code|file|function|method|class|component|implementation)\s*(?:(?:remains|stays|is|goes)?\s*(?:unchanged|the same|as is|as before|here))?[\])]?\.{0,3}$/i
