/** Whether settings contain a login. A value that only names a variable of the environment is none. */
export const containsLogin = (settings: string): boolean =>
  // Without runs of blanks each place is done after a few characters: these files come with repositories.
  login.test(settings.replace(/[\r\n]\s*/g, '\n').replace(/[^\S\n]+/g, ' '))

/** The same for the bytes of a file, in whatever encoding they are. */
export function bytesContainLogin(bytes: Buffer): boolean {
  // In UTF-16 a zero byte is beside each letter; all other encodings have ASCII as it is.
  const raw = bytes.toString('latin1')
  return bytes.length >= mostSettings || containsLogin(raw) || containsLogin(raw.replaceAll('\0', ''))
}

/** More of a settings file is not looked at; one that is larger counts as if it held a login. */
export const mostSettings = 64 * 1024

/** Not followed by a value that only names a variable: `${TOKEN}`, `"Bearer ${TOKEN}"`, `{env:TOKEN}`. */
const isGiven = String.raw`(?!\s?["']?(?:(?:bearer|basic|token) )?(?:\$\{[\w:.-]+\??\}|\{env:\w+\})["']?\s?(?:[,}\]#;\n]|$))`
const nameEnd = String.raw`["']?\s?(?:\[\])?["']?\s?`

const login = new RegExp(
  [
    // `//host/:_authToken="…"`, `"//host/:_auth" = …`, `_password[]=…`, `npmAuthToken: …`, `AWS_SECRET_ACCESS_KEY=…`
    String.raw`(?:_auth|auth-?token|auth-?ident|authorization|x-auth|passw(?:or)?d|passphrase|secret|token|credentials?` +
      String.raw`|cookie|bearer|oauth|api[-_]?key|(?<=[\w-])(?<!env[-_]?)key|[-_](?:pass|pwd|pat)|certfile|keyfile|(?:^["']?|:)(?:key|pass|pwd))` +
      String.raw`(?:[-_](?![\w-]{0,40}env[-_])[\w-]{0,40})?${nameEnd}[=:]${isGiven}`,
    // Words of a command line: `"--api-key", "…"`
    String.raw`--[\w-]{0,40}(?:key|token|secret|password|auth)["']?\s?(?:,|\n- )${isGiven}`,
    // `<add key="http_proxy.password" value="…"/>`
    String.raw`(?:password|token|secret)["'] value\s?=`,
    // Tokens say what they are.
    String.raw`\b(?:sk-[\w-]{16}|gh[pousr]_\w{16}|github_pat_\w{16}|glpat-[\w-]{16}|xox[a-z]-[\w-]{10}|akia\w{16}|npm_\w{30}|hf_\w{24})`,
    '-----begin [a-z ]{0,30}private key',
    // `https://user:password@host`, and `https://host/t/TOKEN/channel` of conda.
    String.raw`://[^\s/@]+@|/t/[\w-]{8,}/`,
    '<packageSourceCredentials|<apikeys',
    // A name in quotes may be escaped (`"_auth\\u0054oken"`).
    String.raw`\\[ux]`,
  ].join('|'),
  'im',
)
