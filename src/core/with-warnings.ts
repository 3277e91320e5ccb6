/** A result with further warnings after its own. */
export function withWarnings<T extends { readonly warnings?: readonly string[] }>(
  result: T,
  more: readonly string[],
): T {
  return more.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...more] }
}
