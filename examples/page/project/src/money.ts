/** Amounts are in cents. */
export function format(cents: number): string {
  return '$' + (cents / 100).toFixed(2)
}

export function parse(text: string): number {
  return Math.round(Number(text.replace('$', '')) * 100)
}
