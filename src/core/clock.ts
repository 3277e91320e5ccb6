/**
 * Milliseconds of a clock that is never set. The global `performance` would do, but what comes with it costs a start as
 * much as reading a small document.
 */
export const now = (): number => process.uptime() * 1000
