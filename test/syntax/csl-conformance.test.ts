import { explainFault } from '../../packages/clada/src/report/mistakes.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { csl } from '@clada/reply/syntax/csl/csl.ts'
import { CslParser, type Operation } from '@clada/reply/syntax/csl/grammar.ts'
import { type Attributes, lexCsl } from '@clada/reply/syntax/csl/marker.ts'
import { Tokens } from '@clada/reply/syntax/tokens.ts'
import { readWith } from './read-alone.ts'

interface Case {
  readonly name: string
  readonly input: string
  readonly operations?: readonly unknown[]
  readonly fatal?: string
  readonly invalid?: readonly { readonly line: number; readonly operation: string; readonly error: string }[]
}

const { cases }: { cases: Case[] } = JSON.parse(
  readFileSync(new URL('../conformance/csl.json', import.meta.url), 'utf8'),
)

/** The operations in the shape the data has. */
function operationsIn(text: string): unknown[] {
  const source = new Source(text)
  const tokens = Tokens.exact(source, lexCsl({ start: '<---', end: '--->' }))
  const parser = new CslParser(tokens)
  const operations: unknown[] = []
  for (let next = tokens.next(1); next !== undefined;) {
    const found = parser.read(next.line, next.token)
    if (found.kind === 'operation') operations.push(shapeOf(found.operation))
    if (found.kind === 'tasks') {
      const { line: at, attributes, operations: members } = found.tasks
      operations.push({ type: 'TASKS', line: at, ...valuesOf(attributes), operations: members.map(shapeOf) })
    }
    next = tokens.next(found.next)
  }
  return operations
}

const shapeOf = ({ name, line, attributes, parts }: Operation) => ({
  type: name,
  line,
  ...valuesOf(attributes),
  ...parts,
})

const valuesOf = (attributes: Attributes) =>
  Object.fromEntries([...attributes].map(([name, { value }]) => [name, value]))

describe('what earlier implementations understood', () => {
  test.each(cases.filter((one) => one.operations !== undefined))('$name', ({ input, operations }) => {
    expect(operationsIn(input)).toEqual(operations)
    const { blocks, faults, fatal } = readWith(csl.reader, input)
    expect({ faults, fatal }).toEqual({ faults: [], fatal: undefined })
    expect(blocks.flatMap((block) => block.faults)).toEqual([])
  })

  test.each(cases.filter((one) => one.fatal !== undefined))('$name', ({ input, fatal }) => {
    const reading = readWith(csl.reader, input)
    expect(reading.fatal && explainFault(reading.fatal).message).toBe(fatal)
    // The same object, in its place.
    const placed = [...reading.faults, ...reading.blocks.flatMap((block) => block.faults)]
    expect(placed.filter((fault) => fault === reading.fatal)).toHaveLength(1)
  })

  test.each(cases.filter((one) => one.invalid !== undefined))('$name', ({ input, invalid }) => {
    const { blocks, fatal } = readWith(csl.reader, input)
    expect(fatal).toBeUndefined()
    expect(
      blocks.flatMap(({ label, faults }) =>
        faults.map(explainFault).map(({ line, message }) => ({ line, operation: label, error: message })),
      ),
    ).toEqual(invalid)
  })

  test('no case is left out', () => {
    expect(cases.filter((one) => !one.operations && !one.fatal && !one.invalid)).toEqual([])
  })
})
