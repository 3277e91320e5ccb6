import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Format, readers, readForeign } from './foreign-read.ts'
import { explained } from './read-alone.ts'

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
    const { blocks, diagnostics } = readForeign(format, text)
    const found = blocks.map((block) => {
      const { action, label, params, startLine, endLine, warnings, proposed } = block
      const own = explained(block)
      return {
        action,
        label,
        params,
        startLine,
        endLine,
        ...(own.length > 0 && {
          diagnostics: own.map(({ code, line, column, length, blockId, message, hint }) => {
            return { code, line, column, length, blockId, message, hint }
          }),
        }),
        ...(warnings && { warnings }),
        ...(proposed && { proposed }),
      }
    })
    expect({ blocks: found }).toEqual(JSON.parse(read(`${name}.json`)))
    expect(diagnostics).toEqual([])
    expect(blocks.some((block) => block.diagnostics.length > 0)).toBe(name.startsWith('err-'))
    expect(blocks.map(({ id }) => id)).toEqual(blocks.map((_, index) => String(index + 1)))

    const lines = text.split(/\r?\n/)
    for (const block of blocks) {
      const { raw, startLine, endLine } = block
      if (endLine !== null) expect(raw.split(/\r?\n/)).toEqual(lines.slice(startLine - 1, endLine))
      for (const { line, column, length, content } of explained(block)) {
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
      blocks.map(({ action, params, startLine, endLine, diagnostics }) => {
        return {
          action,
          params,
          startLine,
          endLine,
          diagnostics: diagnostics.map(({ code, range }) => ({ code, line: range.line })),
        }
      })
    expect(shape(damaged)).toEqual(shape(plain))
  })
})
