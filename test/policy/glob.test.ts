import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type GlobOn, globTest } from '../../packages/clada/src/policy/glob.ts'

const kinds: readonly GlobOn[] = ['component', 'absolute', 'relative']

/** What a pattern means, in words that everybody knows; too slow for patterns that strangers write. */
function meaning(pattern: string, on: GlobOn): RegExp {
  const body = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*\*\/|\*\*|\*|\?/g, (glob) =>
      glob === '**/' ? '(?:.*/)?' : glob === '**' ? '.*' : glob === '*' ? '[^/]*' : '[^/]',
    )
  if (on === 'component') return new RegExp(`^${body}$`, 's')
  return new RegExp(on === 'absolute' ? `^${body}(?:/|$)` : `^(?:.*/)?${body}(?:/|$)`, 's')
}

describe('globs', () => {
  const of = (characters: string, maxLength: number) =>
    fc.array(fc.constantFrom(...characters), { maxLength }).map((all) => all.join(''))

  it('mean what they always meant', () => {
    const property = fc.property(of('ab.*?*/', 9), of('ab./\n', 10), (pattern, text) => {
      for (const on of kinds) {
        if (on === 'component' && /\//.test(pattern + text)) continue
        if (globTest(pattern, on).test(text) !== meaning(pattern, on).test(text)) return false
      }
      return true
    })
    fc.assert(property, { numRuns: 10000 })
  })

  it('take no more time the more stars they have', () => {
    expect(globTest('a*a*a*a*a*a*a*a*a*b', 'component').test('a'.repeat(255))).toBe(false)
    expect(globTest('x/**a**a**a**a**a**a**b', 'relative').test(`x/${'a/'.repeat(2000)}`)).toBe(false)
    expect(globTest('**/**/'.repeat(2000) + 'b', 'absolute').test('a/'.repeat(2000))).toBe(false)
    expect(globTest('**/****/**'.repeat(2000) + 'b', 'absolute').test('a/'.repeat(2000))).toBe(false)
    expect(globTest('a*'.repeat(1000) + 'b', 'component').test('a'.repeat(4000))).toBe(false)
  })
})
