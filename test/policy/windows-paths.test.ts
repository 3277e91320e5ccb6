import { describe, expect, it } from 'vitest'
import {
  isAbsolutePath,
  isInside,
  withSlashes,
  unsafeTreeName,
  writtenPath,
} from '../../packages/clada/src/core/paths.ts'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import data from './windows-paths.json' with { type: 'json' }

/** The rules for paths are functions of the platform, so those of Windows are tested everywhere. */
const windows = platformOf('win32')
const root = 'C:\\proj'
const judge = makePathJudge(
  pathPolicyOf(
    {
      root,
      allowedRoots: [],
      allowEscape: false,
      deniedPatterns: [...defaultDeniedPatterns, 'C:/proj/private', 'docs/draft'],
      userPlaces: ['C:\\Users\\u\\.config\\clada'],
    },
    windows,
  ),
)

function judged(path: string, access: 'read' | 'write') {
  const given = writtenPath(path, windows)
  return judge.path(given, windows.path.resolve(root, given), access)
}

describe('paths of Windows', () => {
  it.each(data.spellings)('%s is the one file', (spelling) => {
    const given = writtenPath(spelling, windows)
    expect(given).not.toContain('\\')
    const decision = judged(spelling, 'write')
    if (decision.verdict === 'deny') throw new Error(decision.reason)
    expect(decision.root).toBe(root)
    expect(decision.parts.join('/').toLowerCase()).toBe('src/a.ts')
  })

  it.each(data.attacks)('$path is refused', ({ path, code, for: only }) => {
    for (const access of ['read', 'write'] as const) {
      if (only === undefined || only === access)
        expect(judged(path, access)).toMatchObject({ verdict: 'deny', rule: code })
    }
  })

  it('has enough of both', () => {
    expect(data.spellings.length).toBeGreaterThanOrEqual(30)
    expect(data.attacks.length).toBeGreaterThanOrEqual(60)
  })

  it('closes what patterns with a drive or a slash name, in any case', () => {
    expect(judged('Private\\key.txt', 'read')).toMatchObject({ verdict: 'deny', rule: 'path_denied' })
    expect(judged('DOCS\\Draft\\a.md', 'read')).toMatchObject({ verdict: 'deny', rule: 'path_denied' })
    expect(judged('docs\\a.md', 'read')).toMatchObject({ verdict: 'allow' })
  })

  it('names the root with forward slashes', () => {
    expect(judged('D:\\a.txt', 'read')).toMatchObject({ reason: "it is outside the root 'C:/proj'" })
  })

  it('knows what is absolute and what is inside', () => {
    expect(['C:/a', 'c:\\a', '/c/a', '\\\\s\\x'].map((path) => isAbsolutePath(path, windows))).not.toContain(false)
    expect(['a\\b', 'C:a', 'a/b'].map((path) => isAbsolutePath(path, windows))).not.toContain(true)
    expect(isInside('c:\\PROJ\\a', root, windows)).toBe(true)
    expect(isInside('C:\\projevil', root, windows)).toBe(false)
    expect(isInside('C:\\a', 'C:\\', windows)).toBe(true)
    expect(withSlashes('C:\\a\\b', windows)).toBe('C:/a/b')
    expect(unsafeTreeName('a\\b', windows)).toBe('it contains a backslash or a colon')
  })

  it('leaves paths of other systems as they are', () => {
    const posix = platformOf('linux')
    expect(writtenPath('/c/a\\b', posix)).toBe('/c/a\\b')
    expect(isAbsolutePath('C:/a', posix)).toBe(false)
    expect(isInside('/PROJ/a', '/proj', posix)).toBe(false)
  })
})
