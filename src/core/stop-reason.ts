/** The reason given to `abort()`. */
export const stopReason = (signal: AbortSignal | undefined): string =>
  signal?.reason instanceof Error ? signal.reason.message : 'the run was stopped'
