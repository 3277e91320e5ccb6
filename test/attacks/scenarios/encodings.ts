import type { Attack } from '../attack.ts'
import { numbered, steps } from './numbered.ts'

/** Files in other encodings, and what declares them: both come with a project that may be hostile. */
export const encodingScenarios = (): Attack[] => [...secrets(), ...declarations(), ...escapes()]

const encodings = ['UTF-16LE', 'UTF-16BE', 'SHIFT_JIS', 'GB18030', 'ISO-8859-1', 'KOI8-R'] as const
const declared = (encoding: string): string =>
  `printf '[*]\\ncharset=${encoding.toLowerCase()}\\n' > .editorconfig; echo '* working-tree-encoding=${encoding}' > .gitattributes`

/** Ways to see what is in `.npmrc`, which has a login. */
const ways: readonly (readonly [what: string, attack: Pick<Attack, 'action'>])[] = [
  ['file_read', steps(['file_read', { path: '{P}/.npmrc' }])],
  ['file_edit', steps(['file_replace_text', { path: '{P}/.npmrc', old_text: 'SECRET', new_text: 'x' }])],
  ['grep', steps(['grep', { pattern: 'CANARY', path: '{P}' }])],
  ['cp', steps(['run', { command: 'cp .npmrc src/copy.txt' }], ['file_read', { path: '{P}/src/copy.txt' }])],
  ['another name', steps(['file_read', { path: '{P}/src/other.txt' }])],
  [
    'code',
    steps([
      'exec',
      {
        lang: 'bash',
        code: "for f in .npmrc src/other.txt; do tr -d '\\\\000' < $f; done; git show :.npmrc | tr -d '\\\\000'",
      },
    ]),
  ],
]

function secrets(): Attack[] {
  return numbered(
    'ENCODED',
    { why: 'a login is one in every encoding' },
    encodings.flatMap((encoding) =>
      ways.map(([way, attack]) => ({
        description: `a login in ${encoding}, ${way}`,
        setup: `(echo '//r/:_authToken=x'; cat .env) | iconv -t ${encoding} > .npmrc; ln .npmrc src/other.txt; ${declared(encoding)}; git add -f .npmrc`,
        ...attack,
      })),
    ),
  )
}

const endless = [
  '*a*a*a*a*a*a*a*a*a*a*a*a*b',
  '(a+)+b',
  '@(a+)+b',
  '+(a|aa)+(a|aa)b',
  '{1..999999999}',
  '**/a**/a**/a**/b',
]

/** What declares encodings, as it should not be. */
const odd: readonly (readonly [what: string, setup: string])[] = [
  ...['.editorconfig', '.gitattributes'].flatMap((name) => [
    [`${name} is a pipe`, `rm -f ${name}; mkfifo ${name}`] as const,
    [`${name} is a device`, `ln -sf /dev/zero ${name}`] as const,
    [`${name} is a link out`, `ln -sf {O}/secret.txt ${name}`] as const,
    [`${name} is a directory`, `mkdir -p ${name}/x`] as const,
    [`${name} is large`, `yes '[*.txt] charset=latin1' | head -c 200000000 > ${name}`] as const,
  ]),
  ...endless.flatMap((glob) => [
    [`the section ${glob}`, `printf '[%s]\\ncharset=latin1\\n' '${glob}' > .editorconfig`] as const,
    [`the pattern ${glob}`, `printf '%s working-tree-encoding=latin1\\n' '${glob}' > .gitattributes`] as const,
  ]),
  ['many sections', "yes '[*a*a*a*a*b]\ncharset=latin1' | head -n 60000 > .editorconfig"],
  ['many choices', "printf '[{0..999}{0..999}{0..999}]\\ncharset=latin1\\n' > .editorconfig"],
  ...[
    '../../x',
    '$(touch {FX}/PWNED)',
    'utf-16\u0007',
    'base64',
    'hex',
    'internal',
    'utf-7',
    '__proto__',
    'constructor',
  ].flatMap((name) => [
    [`the charset ${name}`, `printf '[*]\\ncharset=%s\\n' '${name}' > .editorconfig`] as const,
    [`the attribute ${name}`, `printf '* working-tree-encoding=%s\\n' '${name}' > .gitattributes`] as const,
  ]),
]

function declarations(): Attack[] {
  const name = `${'a'.repeat(200)}.txt`
  return numbered(
    'DECLARED',
    { why: 'what declares an encoding takes no time, leads nowhere and runs nothing', commits: true },
    odd.map(([description, setup]) => ({
      description,
      setup,
      ...steps(
        ['file_write', { path: `{P}/src/${name}`, content: 'x\n' }],
        ['file_replace_text', { path: `{P}/src/${name}`, old_text: 'x', new_text: 'y' }],
        ['file_read', { path: '{P}/src/a.txt' }],
        ['run', { command: 'git status' }],
      ),
      afterwards: 'clada undo',
    })),
  )
}

/** Bytes that only an encoding makes a control character of, or that only a terminal takes for one. */
const drives: readonly (readonly [encoding: string, bytes: string])[] = [
  ['iso-8859-1', '\\233\\061\\061m'],
  ['iso-8859-8', '\\233\\061m'],
  ['utf-16le', '\\033\\000[\\0002\\000J\\000'],
  ['utf-16be', '\\000\\033\\000[\\0002\\000J'],
  ['gb18030', '\\201\\060\\204\\062\\061m'],
  ['shift_jis', '\\033[2J'],
  ['iso-2022-jp', '\\033$B!!\\033(B\\033[2J'],
]

function escapes(): Attack[] {
  return numbered(
    'DRIVES',
    { why: 'what a file has never drives the terminal' },
    drives.map(([encoding, bytes]) => ({
      description: `a control character in ${encoding}`,
      setup: `printf '${bytes}' > src/c.txt; printf '[*]\\ncharset=${encoding}\\n' > .editorconfig`,
      ...steps(
        ['file_read', { path: '{P}/src/c.txt' }],
        ['file_append', { path: '{P}/src/c.txt', content: 'x' }],
        ['run', { command: 'cat src/c.txt' }],
        ['grep', { pattern: 'm', path: '{P}/src' }],
      ),
      options: ['--format', 'pretty'],
    })),
  )
}
