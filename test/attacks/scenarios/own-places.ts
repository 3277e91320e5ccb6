import type { Attack } from '../attack.ts'
import { numbered, quoted, steps } from './numbered.ts'

/** A clada that is part of the project, and a root among the user's secrets. */
export const ownPlaceScenarios = (): Attack[] => [...running(), ...rootsAmongSecrets()]

const modules = 'node_modules'
const payload = 'process.getBuiltinModule("fs").writeFileSync("{FX}/PWNED", "")\n'

/** What clada loads when it is first needed, or would load if it were there. */
const loaded: readonly (readonly [what: string, file: string])[] = [
  ['the program', `${modules}/clada/dist/cli.cjs`],
  ['its manifest', `${modules}/clada/package.json`],
  ['a package that it needs', `${modules}/@vscode/ripgrep/index.js`],
  ['a package that is missing', `${modules}/oxc-parser/src-js/bindings.js`],
  ['one that would be found before', `${modules}/clada/${modules}/@vscode/ripgrep/index.js`],
  ['the link that starts it', `${modules}/.bin/clada.cjs`],
]

/** `{X}` is the file, `{D}` its directory. */
const written: readonly (readonly [what: string, Pick<Attack, 'action' | 'approved'>])[] = [
  ['by file_write', steps(['file_write', { path: '{P}/{X}', content: payload }])],
  ['by file_copy', steps(['file_copy', { old_path: '{P}/src/payload.js', new_path: '{P}/{X}' }])],
  [
    'by commands',
    steps(
      ['run', { command: 'mkdir -p {D}' }],
      ['run', { command: 'cp src/payload.js {X}' }],
      ['run', { command: 'mv src/payload.js {X}' }],
    ),
  ],
  ['by code', steps(['exec', { lang: 'bash', code: 'mkdir -p {D}; rm -f {X}; cp src/payload.js {X}' }])],
  [
    'by code, through a link',
    steps(['exec', { lang: 'bash', code: 'ln -s ../{D} src/way; cp -f src/payload.js src/way/$(basename {X})' }]),
  ],
  [
    'by code that moves what is above',
    steps([
      'exec',
      { lang: 'bash', code: `mv ${modules} old; cp -r old ${modules}; mkdir -p {D}; rm -f {X}; cp src/payload.js {X}` },
    ]),
  ],
  ['by an approved command', { approved: ['sh src/plant.sh'], ...steps(['run', { command: 'sh src/plant.sh' }]) }],
]

/** Each of which needs another part of the program. */
const used: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['grep', { pattern: 'alpha', path: '{P}/src' }],
  ['file_replace_text', { path: '{P}/src/x.ts', old_text: 'one', new_text: 'two (' }],
  ['list_structures', { path: '{P}/src/x.ts' }],
]

function running(): Attack[] {
  const setup = `echo 'const one = 1' > src/x.ts; printf %s ${quoted(payload)} > src/payload.js; printf 'mkdir -p {D}; rm -f {X}; cp src/payload.js {X}' > src/plant.sh`
  const common = { why: 'what clada loads runs without a sandbox', installed: true } as const
  return numbered(
    'OWNPROG',
    common,
    loaded.flatMap(([what, file]) =>
      written.map(([way, { action, approved }]) => {
        const all = (action?.['steps'] ?? []) as typeof used
        const attack = {
          description: `${what}, ${way}`,
          setup,
          ...(approved === undefined ? {} : { approved }),
          ...steps(...all, ...used),
          afterwards: `clada do grep pattern=alpha path=src --no-git; clada do list_structures path=src/x.ts --no-git; clada history`,
        }
        return at(attack, file)
      }),
    ),
  )
}

const at = <T>(value: T, file: string): T =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll('{X}', file)
      .replaceAll('{D}', file.replace(/\/[^/]*$/, '')),
  ) as T

/** Roots with what is a secret by the directories above it too. */
const places: readonly (readonly [root: string, file: string])[] = [
  ['.config', 'gh/hosts.yml'],
  ['.config', 'gcloud/credentials.db'],
  ['.config', 'git/credentials'],
  ['.config/gh', 'hosts.yml'],
  ['.docker', 'config.json'],
  ['.kube', 'config'],
  ['.aws', 'credentials'],
  ['.aws', 'sso/cache/token'],
  ['.CARGO', 'credentials.toml'],
  ['.m2', 'settings.xml'],
  ['.local/share', 'opencode/auth.json'],
  // Directories in which everything is secret.
  ['.ssh', 'notes'],
  ['.gnupg', 'private-keys-v1.d/a'],
  ['.password-store', 'mail'],
  ['.password-store/mail', 'b'],
  ['.aws/sso', 'cache/token'],
]

const ways: readonly (readonly [what: string, options: readonly string[], setup?: string])[] = [
  ['as the root', ['--root', '{P}/{X}']],
  ['as a further root', ['--allow', '{FX}/home/{X}'], 'mkdir -p {FX}/home/$(dirname {X}); cp -r {X} {FX}/home/{X}'],
  ['as a repository', ['--root', '{P}/{X}'], 'cd {X}; git init -q; git add -f .; git commit -qm s; echo more >> {Y}'],
]

function rootsAmongSecrets(): Attack[] {
  return numbered(
    'SECROOT',
    { why: 'the directories above a root are part of the name of a secret' },
    places.flatMap(([root, file]) =>
      ways.map(([way, options, more = 'true']) => {
        const top = options[0] === '--allow' ? '{FX}/home/{X}' : '{P}/{X}'
        const near = options[0] === '--allow' ? `${top}/{Y}` : '{Y}'
        const attack = {
          description: `${root} ${way}, ${file}`,
          setup: `mkdir -p {X}/$(dirname {Y}); echo token=CANARY-CLOSED-c04e2d > {X}/{Y}; (${more})`,
          options,
          ...steps(
            ['file_read', { path: `${top}/{Y}` }],
            ['files_read', { paths: `${top}/**/*` }],
            ['grep', { pattern: 'CANARY-C[L]', path: top }],
            ['run', { command: `cat ${near}` }],
            ['run', { command: 'git log -p -n 1' }],
            ['run', { command: 'git diff' }],
            ['exec', { lang: 'bash', code: `cat ${near}; cp ${near} copy.txt; cat copy.txt; git show HEAD:{Y}` }],
            ['file_copy', { old_path: `${top}/{Y}`, new_path: `${top}/copied.txt` }],
            ['file_read', { path: `${top}/copied.txt` }],
            ['file_move', { old_path: `${top}/{Y}`, new_path: `${top}/moved.txt` }],
            ['file_read', { path: `${top}/moved.txt` }],
          ),
        }
        return JSON.parse(JSON.stringify(attack).replaceAll('{X}', root).replaceAll('{Y}', file)) as typeof attack
      }),
    ),
  )
}
