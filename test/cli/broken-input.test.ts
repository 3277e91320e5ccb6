import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

describe('bytes that are not UTF-8', () => {
  const broken: Readonly<Record<string, Buffer>> = {
    'Latin-1': Buffer.from('caf\u00e9', 'latin1'),
    'UTF-16': Buffer.from('\ufeffcaf\u00e9', 'utf16le'),
    'a character that is cut off': Buffer.from('caf\u00e9').subarray(0, 4),
    'a surrogate': Buffer.from([0xed, 0xa0, 0x80]),
  }
  it.each(Object.entries(broken))('never become a file as other bytes: %s', (_, input) => {
    const cwd = scratchDir()
    const call = ['do', 'file_write', 'path=a.txt', '--stdin', 'content', '--no-git']
    expect(clada(call, { cwd, input })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Standard input is not valid UTF-8'),
    })
    expect(filesIn(cwd)).toEqual({})
  })
})

describe.skipIf(process.platform !== 'linux')('an input that has no end', () => {
  it.each([
    ['a device', ['/dev/zero']],
    ['a device of two inputs', ['reply.md', '/dev/zero']],
    ['a link to a device', ['link.md']],
  ])('%s is refused before it fills the memory', (_, words) => {
    const cwd = scratchDir({ 'reply.md': 'text' })
    fs.symlinkSync('/dev/zero', path.join(cwd, 'link.md'))
    const { status, stderr } = clada(words, { cwd })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('(input_too_large)') })
  })
})
