import { describe, expect, it } from 'vitest'
import { registry } from '../../packages/clada/src/actions/registry.ts'
import type { Access } from '../../packages/clada/src/core/effects.ts'
import { defaultLimits, type Settings } from '../../packages/clada/src/core/settings.ts'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'

/** The rules of Windows have a test of their own. */
const posix = platformOf('linux')

const settings: Settings = {
  root: '/home/ada/proj',
  allowedRoots: ['/srv/data'],
  deniedPatterns: [...defaultDeniedPatterns, 'private/**', 'docs/secret-*.md'],
  reserved: () => [],
  userPlaces: [],
  registry,
  allowedActions: null,
  relativePaths: true,
  symlinks: 'refuse',
  allowEscape: false,
  limits: defaultLimits,
}

const judged = (given: string, access: Access, over: Partial<Settings> = {}): string => {
  const judge = makePathJudge(pathPolicyOf({ ...settings, ...over }, posix))
  const decision = judge.path(given, posix.path.resolve(settings.root, given), access)
  return decision.verdict === 'allow' ? `allow ${decision.root} ${decision.parts.join('/')}`.trimEnd() : decision.rule
}

const table: readonly (readonly [given: string, access: Access, verdict: string])[] = [
  ['src/a.ts', 'write', 'allow /home/ada/proj src/a.ts'],
  ['/home/ada/proj/src/a.ts', 'write', 'allow /home/ada/proj src/a.ts'],
  ['./src/../src/a.ts', 'read', 'allow /home/ada/proj src/a.ts'],
  ['.', 'list', 'allow /home/ada/proj'],
  ['what?.md', 'write', 'allow /home/ada/proj what?.md'],
  ['/srv/data/x.csv', 'read', 'allow /srv/data x.csv'],
  ['[...slug]/page (1) ü 漢.tsx', 'write', 'allow /home/ada/proj [...slug]/page (1) ü 漢.tsx'],
  ['../proj-evil/x', 'write', 'path_escape'],
  ['/home/ada/proj-evil/x', 'read', 'path_escape'],
  ['src/../../outside/x', 'write', 'path_escape'],
  ['/srv/database', 'read', 'path_escape'],
  ['/etc/passwd', 'read', 'path_denied'],
  ['/proc/self/environ', 'read', 'path_denied'],
  ['/dev/zero', 'read', 'path_denied'],
  ['.env', 'read', 'path_denied'],
  ['.ENV', 'read', 'path_denied'],
  ['sub/.env.local', 'write', 'path_denied'],
  ['.env.example', 'read', 'allow /home/ada/proj .env.example'],
  ['.ssh/.env.example', 'read', 'path_denied'],
  ['.env', 'list', 'allow /home/ada/proj .env'],
  ['secrets/./key.pem', 'read', 'path_denied'],
  ['.envrc', 'write', 'path_denied'],
  ['private/a/b.txt', 'read', 'path_denied'],
  ['docs/secret-plan.md', 'read', 'path_denied'],
  ['docs/plan.md', 'read', 'allow /home/ada/proj docs/plan.md'],
  ['.git/config', 'read', 'path_denied'],
  ['.GIT/config', 'write', 'path_denied'],
  ['nested/.git', 'write', 'path_denied'],
  ['GIT~1/config', 'write', 'path_denied'],
  ['.gitignore', 'write', 'allow /home/ada/proj .gitignore'],
  ['.github/workflows/ci.yml', 'write', 'allow /home/ada/proj .github/workflows/ci.yml'],
  ['.clada/lock', 'read', 'path_denied'],
  ['clada.yml', 'write', 'path_denied'],
  ['.npmrc', 'write', 'path_denied'],
  ['.npmrc', 'read', 'allow /home/ada/proj .npmrc'],
  ['.husky/pre-commit', 'write', 'path_denied'],
  ['.g\u200cit/config', 'write', 'invalid_parameter'],
  ['', 'write', 'invalid_parameter'],
  ['a\u0000b', 'write', 'invalid_parameter'],
  ['a\u001b[2J', 'write', 'invalid_parameter'],
  ['\u202etxt.exe', 'write', 'invalid_parameter'],
  ['~/x', 'write', 'invalid_parameter'],
  ['$HOME/x', 'write', 'invalid_parameter'],
  ['file:///etc/passwd', 'read', 'invalid_parameter'],
  ['C:new.txt', 'write', 'invalid_parameter'],
  ['a\\b', 'write', 'invalid_parameter'],
  ['src/file.txt:stream', 'write', 'invalid_parameter'],
  ['CON', 'write', 'invalid_parameter'],
  ['src/aux.txt', 'write', 'invalid_parameter'],
  ['auxiliary.txt', 'write', 'allow /home/ada/proj auxiliary.txt'],
  ['dir./x', 'write', 'invalid_parameter'],
  ['x'.repeat(256), 'write', 'invalid_parameter'],
  ['x/'.repeat(2100), 'write', 'invalid_parameter'],
]

describe('paths', () => {
  for (const [given, access, verdict] of table) {
    it(`${access} ${JSON.stringify(given).slice(0, 60)}: ${verdict}`, () => {
      expect(judged(given, access)).toBe(verdict)
    })
  }

  it('lifts the roots when told to, never the denied list', () => {
    const over = { allowEscape: true }
    expect(judged('/opt/x', 'write', over)).toBe('allow / opt/x')
    expect(judged('/etc/passwd', 'read', over)).toBe('path_denied')
    expect(judged('/opt/.ssh/id', 'read', over)).toBe('path_denied')
  })

  it('does not take the way to the root for a part of the path', () => {
    expect(judged('/srv/.env/proj/a.txt', 'read', { root: '/srv/.env/proj' })).toBe('allow /srv/.env/proj a.txt')
  })

  it('closes to searches what an absolute pattern closes', () => {
    const { blockingBelow } = makePathJudge(
      pathPolicyOf({ ...settings, deniedPatterns: ['/home/ada/proj/secrets'] }, posix),
    )
    const blocking = ['secrets', 'secrets/old/key', 'src/a.ts'].map((one) => blockingBelow(one))
    expect(blocking).toEqual(['always', 'always', 'never'])
  })
})

it.each([
  ['/home/ada/proj/config', 'config/notes.md', 'inside the project'],
  ['/home/ada', 'notes.md', 'around the project'],
])("keeps documents out of the user's own files %s, %s", (place, given) => {
  expect(judged(given, 'read', { userPlaces: [place] })).toBe('path_denied')
  expect(judged(given, 'read')).toBe(`allow /home/ada/proj ${given}`)
})

it.each([
  ['.', 'allow /home/ada/proj'],
  ['config', 'path_denied'],
  ['config/clada', 'path_denied'],
  ['src', 'allow /home/ada/proj src'],
])("a directory above the user's own files is not replaced, the project itself is no such one: %s", (given, verdict) =>
  expect(judged(given, 'write', { userPlaces: ['/home/ada/proj/config/clada'] })).toBe(verdict),
)
