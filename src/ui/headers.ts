/** Headers of every answer: it must not be cached, framed, sniffed or passed on. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Only our own scripts and styles, and none of them inline. No text can become markup: trusted types are required, and
 * there is no policy to make them.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** For answers that are no page: they need nothing at all. */
export const closedPolicy = "default-src 'none'; frame-ancestors 'none'"
