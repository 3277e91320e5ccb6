import { explainFault } from '../../packages/clada/src/report/mistakes.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Format, readers, readForeign } from './foreign-read.ts'

const formats = Object.keys(readers).filter((name): name is Format => Object.hasOwn(readers, name))

describe.each(formats)('%s', (format) => {
  const folder = new URL(`./${format}/`, import.meta.url)
  const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => name.slice(0, -4))

  test('there are enough malformed ones', () => {
    expect(names.filter((name) => name.startsWith('err-')).length).toBeGreaterThanOrEqual(30)
  })

  test.each(names)('%s', (name) => {
    const text = read(`${name}.txt`)
    const { blocks, faults } = readForeign(format, text)
    const found = blocks.map(({ action, label, params, startLine, endLine, faults: own, warnings }) => ({
      action,
      label,
      params,
      startLine,
      endLine,
      ...(own.length > 0 && {
        faults: own.map(explainFault).map(({ code, line, column, length, blockId, message, hint }) => {
          return { code, line, column, length, blockId, message, hint }
        }),
      }),
      ...(warnings && { warnings }),
    }))
    expect({ blocks: found }).toEqual(JSON.parse(read(`${name}.json`)))
    expect(faults).toEqual([])
    expect(blocks.some((block) => block.faults.length > 0)).toBe(name.startsWith('err-'))
    expect(blocks.map(({ id }) => id)).toEqual(blocks.map((_, index) => String(index + 1)))

    const lines = text.split(/\r?\n/)
    for (const { raw, startLine, endLine, faults: own } of blocks) {
      if (endLine !== null) expect(raw.split(/\r?\n/)).toEqual(lines.slice(startLine - 1, endLine))
      for (const { line, column, length, content } of own) {
        expect(content).toBe(lines[line - 1])
        expect(column - 1 + length).toBeLessThanOrEqual(content.length)
      }
    }
  })

  test.each(names)('%s, with CRLF and a byte order mark', (name) => {
    const text = read(`${name}.txt`)
    // A CR that belongs to a line of the file cannot be told from one that came with the text.
    if (/[\r\uFEFF]/.test(text)) return
    const plain = readForeign(format, text).blocks
    const damaged = readForeign(format, `\uFEFF${text.replaceAll('\n', '\r\n')}`).blocks
    const shape = (blocks: typeof plain) =>
      blocks.map(({ action, params, startLine, endLine, faults }) => {
        return { action, params, startLine, endLine, faults: faults.map(({ code, line }) => ({ code, line })) }
      })
    expect(shape(damaged)).toEqual(shape(plain))
  })
})
