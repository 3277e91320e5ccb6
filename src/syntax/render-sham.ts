import { delimiterOf, endOf, headerOf, type Name } from './sham-line.ts'

/** The SHAM or NESL block a model would write for a call. Whatever the texts hold, reading the block gives them back. */
export function renderSham(
  action: string,
  params: Readonly<Record<string, string | number | boolean>>,
  name: Name,
): string {
  const delimiter = delimiterOf(name)
  const lines = [['action', action] as const, ...Object.entries(params)].map(([key, value]) =>
    assignment(key, String(value), delimiter),
  )
  return [headerOf(name), ...lines, endOf(name)].join('\n')
}

function assignment(key: string, value: string, delimiter: string): string {
  return isHeredocSafe(value, delimiter)
    ? `${key} = <<'${delimiter}'\n${value}\n${delimiter}`
    : `${key} = ${JSON.stringify(value)}`
}

/**
 * A heredoc reads every line end as LF, ends at its delimiter and is refused where something opens it again; lone
 * surrogates do not survive as UTF-8. A quoted text can say all of that in escapes.
 */
const isHeredocSafe = (value: string, delimiter: string): boolean =>
  value.includes('\n') && !value.includes('\r') && !value.includes(delimiter) && value.isWellFormed()
