/** Why what was under way had to stop, in the words of whoever stopped it. */
export const stopReason = (signal: AbortSignal | undefined): string =>
  signal?.reason instanceof Error ? signal.reason.message : 'the run was stopped'
