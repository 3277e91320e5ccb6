import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseSham } from '../../packages/clada/src/compat/parse-sham.ts'

interface Case {
  suite: string
  name: string
  level?: string
  input: string
  expected: { blocks: { id: string; properties: Record<string, string> }[]; errors: object[] }
  seed_conflict?: string
  not_binding?: string
}

interface UnitCase {
  function: string
  name: string
  args: string[]
  expected: unknown
}

const load = (name: string): { cases: unknown[] } =>
  JSON.parse(readFileSync(new URL(`../conformance/${name}.json`, import.meta.url), 'utf8'))

const isCase = (value: unknown): value is Case =>
  typeof value === 'object' && value !== null && 'level' in value && value.level === 'blocks'
const isUnitCase = (value: unknown): value is UnitCase =>
  typeof value === 'object' && value !== null && 'function' in value && 'args' in value

/** Cases that we answer differently, by name: the sentence of the specification that asks for it, and what we answer. */
const deviations: Record<string, { because: string; answer: Case['expected'] }> = {}

/** Cases that bind nobody, and what we answer all the same. */
const notBinding: Record<string, { because: string; answer: Case['expected'] }> = {
  '009-invalid-block-id (exactly-3 era: 2-char id refused)': {
    because: 'Ids are 2 to 8 letters or digits.',
    answer: { blocks: [{ id: 'ab', properties: { key: 'value' } }], errors: [] },
  },
}

const cases = load('sham').cases.filter(isCase)
const binding = cases.filter((c) => c.seed_conflict === undefined && c.not_binding === undefined)

describe('conformance: blocks', () => {
  test('both suites are there', () => {
    expect(binding).toHaveLength(76)
    expect(cases.filter((c) => !binding.includes(c)).map((c) => c.name)).toEqual(Object.keys(notBinding))
  })

  test.each(cases.map((c) => [`${c.suite} ${c.name}`, c] as const))('%s', (_, c) => {
    const answer = (deviations[c.name] ?? notBinding[c.name])?.answer ?? c.expected
    const { blocks, errors } = parseSham(c.input)
    expect({ blocks, errors }).toMatchObject(answer)
    // The subset holds for fields, not for keys: a key too many would be a wrong parameter.
    const keys = (found: readonly { properties: object }[]) => found.map(({ properties }) => Object.keys(properties))
    expect(keys(blocks)).toEqual(keys(answer.blocks))
  })
})

/** What shows of an internal function of the earlier parser, through a whole text. */
const shownBy: Record<string, (args: string[], expected: unknown) => void> = {
  parseHeader([line = ''], expected) {
    const { blocks, errors } = parseSham(`${line}\n#!END_SHAM_abc`)
    const valid = blocks.length === 1 && errors.length === 0
    expect(valid ? { isValid: true, blockId: blocks[0]?.id } : { isValid: false }).toEqual(expected)
  },

  parseEndMarker([line = ''], expected) {
    const id = /_(\w+)$/.exec(line)?.[1]?.split('_').at(-1) ?? 'abc'
    const { blocks, errors } = parseSham(`${headerOf(id)}\n${line}`)
    const isEnd = blocks[0]?.endLine === 2 && errors.length === 0
    expect(isEnd ? { isEnd, blockId: blocks[0]?.id } : { isEnd }).toEqual(expected)
  },

  validateBlockId([id = ''], expected) {
    const { blocks, errors } = parseSham(`${headerOf(id)}\n#!END_SHAM_${id}`)
    if (id === '') {
      // An empty id makes the header malformed before the id is looked at.
      expect(errors[0]?.code).toBe('MALFORMED_HEADER')
      return
    }
    expect(blocks.length === 1 ? { valid: true } : { valid: false, error: errors[0]?.message }).toEqual(expected)
  },

  validateKey([key = ''], expected) {
    const { blocks, errors } = parseSham(inBlock(`${key} = "v"`))
    const valid = errors.length === 0 && blocks[0]?.properties[key] === 'v'
    expect({ valid }).toMatchObject(validity(expected))
    if (key.length > 256) expect(errors[0]?.message).toBe('Key exceeds 256 character limit')
  },

  findInvalidCharPosition([key = ''], expected) {
    const { errors } = parseSham(inBlock(`${key} = "v"`))
    const [, char, position] = /^Key contains invalid character '(.+)' at position (\d+)$/su.exec(
      errors[0]?.message ?? '',
    ) ?? [undefined, undefined, undefined]
    expect(char === undefined ? null : { position: Number(position) - 1, char }).toEqual(expected)
  },

  parseAssignment([line = ''], expected) {
    if (line.includes('\n')) return // The earlier function takes lines that no text has.
    const heredoc = line.includes("<<'") ? '\nbody\nEOT_SHAM_abc' : ''
    const { blocks, errors } = parseSham(inBlock(`${line}${heredoc}`))
    const [error] = errors
    if (error !== undefined) {
      const code = error.code === 'INVALID_ASSIGNMENT_OPERATOR' ? 'INVALID_OPERATOR' : error.code
      expect({ success: false, error: { code, position: error.column - 1, length: error.length } }).toEqual(expected)
      return
    }
    const [[key, value] = []] = Object.entries(blocks[0]?.properties ?? {})
    const read =
      heredoc === ''
        ? { success: true, type: 'key-value', key, value }
        : { success: true, type: 'heredoc', key, delimiter: 'EOT_SHAM_abc' }
    expect(read).toEqual(expected)
  },

  validateHeredocDelimiter([delimiter = ''], expected) {
    const { errors } = parseSham(inBlock(`k = <<'${delimiter}'\nbody\n${delimiter}`))
    expect(errors.length === 0 ? { valid: true } : { valid: false, error: errors[0]?.message }).toEqual(expected)
  },

  classifyLine([line = ''], expected) {
    const inside = parseSham(inBlock(line))
    const outside = parseSham(line)
    let kind = 'assignment'
    if (outside.blocks.length + outside.errors.length > 0) kind = 'header'
    else if (inside.blocks[0]?.endLine === 2) kind = 'end_marker'
    else if (inside.errors[0]?.code === 'MALFORMED_ASSIGNMENT') kind = 'unknown'
    else if (inside.errors.length === 0 && Object.keys(inside.blocks[0]?.properties ?? {}).length === 0) kind = 'empty'
    expect(kind).toBe(expected)
  },

  getContextWindow([text = '', line], expected) {
    // A bad header in place of the line is what the window is asked for.
    const lines = text.split('\n')
    const replaced = lines.splice(Number(line) - 1, 1, '#!SHAM')
    const { errors } = parseSham(lines.join('\n'))
    const context = errors[0]?.context.split('\n').map((shown) => (shown === '#!SHAM' ? replaced[0] : shown))
    expect(context?.join('\n')).toBe(expected)
  },
}

const headerOf = (id: string) => `#!SHAM [@three-char-SHA-256: ${id}]`
const inBlock = (lines: string) => `${headerOf('abc')}\n${lines}\n#!END_SHAM_abc`
const validity = (expected: unknown) =>
  typeof expected === 'object' && expected !== null && 'valid' in expected ? { valid: expected.valid } : {}

describe('conformance: functions of the earlier parser', () => {
  const units = load('unit').cases.filter(isUnitCase)
  for (const [name, show] of Object.entries(shownBy)) {
    describe(name, () => {
      const own = units.filter((c) => c.function === name)
      test('has cases', () => {
        expect(own.length).toBeGreaterThan(0)
      })
      test.each(own.map((c, i) => [`${c.name} (${i + 1})`, c] as const))('%s', (_, c) => {
        show(c.args, c.expected)
      })
    })
  }
})
