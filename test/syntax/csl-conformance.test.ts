import { explainDiagnostic } from '../../packages/clada/src/report/explain-diagnostic.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { csl } from '@clada/reply/syntax/csl/csl.ts'
import { CslParser, type CslOperation } from '@clada/reply/syntax/csl/grammar.ts'
import { type Attributes, lexCsl } from '@clada/reply/syntax/csl/marker.ts'
import { Tokens } from '@clada/reply/syntax/tokens.ts'
import { explained, readWith } from './read-alone.ts'

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

const shapeOf = ({ name, line, attributes, parts }: CslOperation) => ({
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
    const { blocks, diagnostics, fatal } = readWith(csl.reader, input)
    expect({ diagnostics, fatal }).toEqual({ diagnostics: [], fatal: undefined })
    expect(blocks.flatMap((block) => block.diagnostics)).toEqual([])
  })

  test.each(cases.filter((one) => one.fatal !== undefined))('$name', ({ input, fatal }) => {
    const reading = readWith(csl.reader, input)
    expect(reading.fatal && explainDiagnostic(reading.fatal, null).message).toBe(fatal)
    // The same object, in its place.
    const placed = [...reading.diagnostics, ...reading.blocks.flatMap((block) => block.diagnostics)]
    expect(placed.filter((diagnostic) => diagnostic === reading.fatal)).toHaveLength(1)
  })

  test.each(cases.filter((one) => one.invalid !== undefined))('$name', ({ input, invalid }) => {
    const { blocks, fatal } = readWith(csl.reader, input)
    expect(fatal).toBeUndefined()
    expect(
      blocks.flatMap((block) =>
        explained(block).map(({ line, message }) => ({ line, operation: block.label, error: message })),
      ),
    ).toEqual(invalid)
  })

  test('no case is left out', () => {
    expect(cases.filter((one) => !one.operations && !one.fatal && !one.invalid)).toEqual([])
  })
})
