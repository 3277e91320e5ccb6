import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkFile } from './check-file.ts'
import { languages } from '../../packages/clada/src/structure/languages.ts'
import { casesIn } from './case-file.ts'

const root = path.join(import.meta.dirname, '../..')

/** Whatever is done to a structure and taken back leaves no trace. */
describe('structures of whole files leave no trace', () => {
  it.each(languages.map(({ name }) => name))('the file of the cases of %s', async (name) => {
    const [first] = casesIn(fs.readFileSync(path.join(import.meta.dirname, `${name}.cases.md`), 'utf8'))
    if (first === undefined) throw new Error('no case')
    const report = await checkFile(first.path, first.text, 6)
    expect(report.failures).toEqual([])
    expect(report.counts['replaced: exact: by itself']).toBe(report.counts['structures'])
  })

  it.each([
    'packages/reply/src/core/source.ts',
    'packages/reply/src/text/edit.ts',
    'packages/clada/src/structure/indent.ts',
    'scripts/build.mjs',
    'package.json',
  ])('%s', async (file) => {
    const report = await checkFile(file, fs.readFileSync(path.join(root, file), 'utf8'), 4)
    expect(report.failures).toEqual([])
    expect(report.counts['replaced: exact: by itself']).toBe(report.counts['structures'])
  })
})
