/** The SHAM block a model would write for a call. Whatever the texts hold, reading the block gives them back. */
export function renderSham(
  action: string,
  params: Readonly<Record<string, string | number | boolean>>,
  id: string,
): string {
  const delimiter = `EOT_SHAM_${id}`
  const lines = Object.entries({ action, ...params }).map(([name, value]) => assignment(name, String(value), delimiter))
  return [`#!SHAM [@three-char-SHA-256: ${id}]`, ...lines, `#!END_SHAM_${id}`].join('\n')
}

function assignment(name: string, value: string, delimiter: string): string {
  return isHeredocSafe(value, delimiter)
    ? `${name} = <<'${delimiter}'\n${value}\n${delimiter}`
    : `${name} = ${JSON.stringify(value)}`
}

/**
 * A heredoc reads every line end as LF, ends at its delimiter and is refused where something opens it again; lone
 * surrogates do not survive as UTF-8. A quoted text can say all of that in escapes.
 */
const isHeredocSafe = (value: string, delimiter: string): boolean =>
  value.includes('\n') && !value.includes('\r') && !value.includes(delimiter) && value.isWellFormed()
