/** One action as a model would write it. */
export function block(action: string, params: Readonly<Record<string, string>>): string {
  const id = 'blk'
  const lines = Object.entries(params).map(([name, value]) =>
    /\n/.test(value) && !value.includes('\r')
      ? `${name} = <<'EOT_SHAM_${id}'\n${value}\nEOT_SHAM_${id}`
      : `${name} = ${JSON.stringify(value)}`,
  )
  return [`#!SHAM [@three-char-SHA-256: ${id}]`, `action = "${action}"`, ...lines, `#!END_SHAM_${id}`, '', ''].join(
    '\n',
  )
}

export const blocks = (...calls: readonly (readonly [string, Readonly<Record<string, string>>])[]): string =>
  calls.map(([action, params]) => block(action, params)).join('')
