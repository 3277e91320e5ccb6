import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { languages } from '../../packages/clada/src/structure/languages.ts'
import { casesIn, outcomeOf } from './case-file.ts'

describe.each(languages.map(({ name }) => name))('cases of %s', (name) => {
  const cases = casesIn(fs.readFileSync(path.join(import.meta.dirname, `${name}.cases.md`), 'utf8'))

  it('are enough', () => {
    expect(cases.length).toBeGreaterThanOrEqual(25)
  })

  for (const one of cases) {
    it(`${one.title}: ${one.operation}`, async () => {
      expect(await outcomeOf(one)).toBe(one.expected)
    })
  }
})
