/** Whether settings contain a login. A value that only names a variable of the environment is none. */
export const containsLogin = (settings: string): boolean => login.test(settings)

/** The same for the bytes of a file, in whatever encoding they are. */
export function bytesContainLogin(bytes: Buffer): boolean {
  // In UTF-16 a zero byte is beside each letter; all other encodings have ASCII as it is.
  const raw = bytes.toString('latin1')
  return bytes.length >= mostSettings || containsLogin(raw) || containsLogin(raw.replaceAll('\0', ''))
}

/** More of a settings file is not looked at; one that is larger counts as if it held a login. */
export const mostSettings = 64 * 1024

const login = new RegExp(
  [
    // `//host/:_authToken="…"`, `"//host/:_auth" = …`, `_password[]=…`, `npmAuthToken: …`, `token = …`, `key=…`
    String.raw`(?:_auth|auth-?token|auth-?ident|passw(?:or)?d|secret|token|api[-_]?key|certfile|keyfile|(?:^\s*["']?|:)key)` +
      String.raw`["']?\s*(?:\[\])?["']?\s*[=:](?!\s*["']?\$\{[\w:.-]+\??\}["']?\s*(?:[,}#;\r\n]|$))`,
    // `https://user:password@host`, and `https://host/t/TOKEN/channel` of conda.
    String.raw`://[^\s/@]+@|/t/[\w-]{8,}/`,
    '<packageSourceCredentials|<apikeys',
    // A name in quotes may be escaped (`"_auth\\u0054oken"`).
    String.raw`\\[ux]`,
  ].join('|'),
  'im',
)
