import { describe, expect, it } from 'vitest'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'

/** What holds on every platform, decided for each of them here: the policy asks for no disk. */
const roots = { linux: '/home/u/proj', darwin: '/Users/u/proj', win32: 'C:\\proj' } as const

describe.each(['linux', 'darwin', 'win32'] as const)('paths on %s', (name) => {
  const on = platformOf(name)
  const root = roots[name]
  const judge = makePathJudge(
    pathPolicyOf(
      { root, allowedRoots: [], allowEscape: false, deniedPatterns: defaultDeniedPatterns, userPlaces: [] },
      on,
    ),
  )
  const judged = (given: string, access: 'read' | 'write' = 'write') =>
    judge.path(given, on.path.resolve(root, given), access)

  it.each(['src/a.ts', './src/a.ts', 'src/../src/a.ts', 'é.txt', 'é.txt', '-rf'])('allows %s', (given) => {
    expect(judged(given)).toMatchObject({ verdict: 'allow', root })
  })

  it.each([
    ['../a.ts', 'path_escape'],
    ['src/../../a.ts', 'path_escape'],
    ['/usr/share/a.txt', 'path_escape'],
    ['.git/config', 'path_denied'],
    ['.GIT/config', 'path_denied'],
    ['.g\u200cit/config', 'invalid_parameter'],
    ['.clada/journal', 'path_denied'],
    ['Clada.yml', 'path_denied'],
    ['.env', 'path_denied'],
    ['.ENV', 'path_denied'],
    ['deploy/.env.production', 'path_denied'],
    ['id_rsa', 'path_denied'],
    ['~/a.ts', 'invalid_parameter'],
    ['$HOME/a.ts', 'invalid_parameter'],
    ['nul', 'invalid_parameter'],
    ['src/aux.ts', 'invalid_parameter'],
    ['a.ts:stream', 'invalid_parameter'],
    ['a.ts.', 'invalid_parameter'],
    ['a.ts ', 'invalid_parameter'],
    ['file:///etc/passwd', 'invalid_parameter'],
  ])('refuses %s', (given, rule) => {
    expect(judged(given)).toMatchObject({ verdict: 'deny', rule })
  })
})
