/** What the operating system refused, with its code: `ENOENT`, `EACCES`, … */
export type OsError = NodeJS.ErrnoException & { code: string }

export const isOsError = (error: unknown): error is OsError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  isOsError(error) && codes.includes(error.code)

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
