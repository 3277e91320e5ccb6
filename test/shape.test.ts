import fs from 'node:fs'
import path from 'node:path'
import { blockNames } from '@clada/reply/core/cml-tasks.ts'
import { operations } from '@clada/reply/syntax/csl/marker.ts'
import { sections } from '@clada/reply/syntax/replacer/grammar.ts'
import { describe, expect, it } from 'vitest'
import { registry } from '../packages/clada/src/actions/registry.ts'

const packages = path.join(import.meta.dirname, '../packages')

/** Every source of these packages, by its name below `packages/`, without comments that have a line of their own. */
const sourcesOf = (...names: readonly string[]): { file: string; code: string }[] =>
  names.flatMap((name) =>
    fs
      .readdirSync(path.join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => {
        const text = fs.readFileSync(path.join(packages, name, 'src', file), 'utf8')
        return {
          file: `${name}/${file.replaceAll(path.sep, '/')}`,
          code: text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, ''),
        }
      }),
  )
const everything = sourcesOf('reply', 'clada', 'page', 'browser', 'vscode')

/** Matches a list of at least four of these names, as words of a pattern or as texts of an array. */
function listOf(names: readonly string[]): RegExp {
  const name = `(?:${names.join('|')})\\b`
  return new RegExp(`\\b${name}(?:['"]?\\s*[|,]\\s*['"]?${name}){3}`)
}

describe('the names of operations', () => {
  it.each([
    ['csl', Object.keys(operations), []],
    ['cml', blockNames, []],
    ['replacer', sections, ['reply/syntax/replacer/grammar.ts']],
  ])('of %s are listed once', (_, names, defining) => {
    const listing = everything.filter(({ code }) => listOf(names).test(code))
    expect(listing.map(({ file }) => file)).toEqual(defining)
  })

  it('of actions are defined once', () => {
    const names = new Set([...registry.values()].map(({ name }) => name))
    const defined = sourcesOf('clada')
      .filter(({ file }) => file.startsWith('clada/actions/'))
      .flatMap(({ code }) => [...code.matchAll(/^ {2}name: '(\w+)',$/gm)].map(([, name = '']) => name))
      .filter((name) => names.has(name))
    expect(defined.length).toBeGreaterThan(40)
    expect(defined.filter((name, at) => defined.indexOf(name) !== at)).toEqual([])
  })

  it('of actions are unknown to code that treats all actions alike', () => {
    const names = [...registry.values()].map(({ name }) => name).filter((name) => name.includes('_'))
    const literal = new RegExp(`'(?:${names.join('|')})'`)
    const alike =
      /^clada\/(?:engine|core|config|workspace|store|git|history|timetravel|hooks|commands|process|report\/\w+\.ts)/
    const naming = sourcesOf('clada').filter(({ file, code }) => alike.test(file) && literal.test(code))
    expect(naming.map(({ file }) => file)).toEqual([])
  })
})

it('an exported function has a name that no other function has, in all packages', () => {
  /** Overloads are one function. */
  const declared =
    /^(export )?(?:async )?(?:function\*? (\w+)|const (\w+)(?:: [^=]+)? = (?:async )?(?:<[^=]*>)?\((?=[^\n]*=>|$))/gm
  const exported = new Set<string>()
  const places = new Map<string, Set<string>>()
  for (const { file, code } of everything)
    for (const [, isExported, one = '', name = one] of code.matchAll(declared)) {
      if (isExported !== undefined) exported.add(name)
      places.set(name, (places.get(name) ?? new Set()).add(file))
    }
  expect(exported.size).toBeGreaterThan(1000)
  expect([...places].filter(([name, files]) => exported.has(name) && files.size > 1)).toEqual([])
})

/** The properties of a component are `Props`, as in every program with components. */
it('types, interfaces and classes of one name are one, in all packages', () => {
  const declared = /^(?:export )?(?:abstract )?(?:type|interface|class) (\w+)/gm
  const places = new Map<string, Set<string>>()
  for (const { file, code } of everything)
    for (const [, name = ''] of code.matchAll(declared))
      if (!file.endsWith('.d.ts') && !(name === 'Props' && file.endsWith('.tsx')))
        places.set(name, (places.get(name) ?? new Set()).add(file))
  expect(places.size).toBeGreaterThan(1000)
  expect([...places].filter(([, files]) => files.size > 1)).toEqual([])
})

describe('optional properties', () => {
  /** An object that is spread under a condition; a list may be. */
  const conditional = /\.\.\.\((?:[^(){}[\]]|\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])*(?:(?<!\?)[?:]|&&|\|\|)\s*\{/

  it('are written with undefined', () => {
    const spreading = everything.filter(({ code }) => conditional.test(code))
    expect(spreading.map(({ file }) => file)).toEqual([])
  })

  it.each([
    '...(a === undefined ? {} : { a })',
    '...(f(g(a)) ? { a, b: 1 } : {})',
    "...(typeof of['a'] === 'string' && { a: of['a'] })",
    '...(await f(a) ? undefined : { a })',
    '...(a ? b : { a })',
  ])('are not to be seen as %s', (code) => expect(code).toMatch(conditional))

  it.each(['...(a ? [] : [{ a }])', '...(a ?? [])', '...(a ?? { b })', '...f(a)', '...a.map((one) => ({ one }))'])(
    'are not meant by %s',
    (code) => expect(code).not.toMatch(conditional),
  )
})
