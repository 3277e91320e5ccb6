import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readCml, shown } from './cml-read.ts'

const folder = new URL('./cml/', import.meta.url)
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -4))
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

describe('cases', () => {
  test.each(names)('%s', (name) => {
    writeFileSync(
      new URL(`${name}.json`, folder),
      JSON.stringify(readCml(read(`${name}.txt`)).map(shown), null, 2) + '\n',
    )
  })
})
