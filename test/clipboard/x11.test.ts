import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openX11 } from '../../packages/clada/src/watch/clipboard/x11.ts'
import { scratchDir } from '../support/scratch.ts'

describe.runIf(process.platform !== 'win32')('a program that reads the clipboard of X (not on Windows)', () => {
  it.each([
    ['xclip', 'Error: target TARGETS not available', ''],
    ['xsel', 'xsel: no owner', ''],
    ['xsel', 'cannot open display', 'cannot open display'],
    ['xclip', '', 'exit code 1'],
  ])('%s that fails with %j: %j', async (program, message, expected) => {
    const file = path.join(scratchDir({ [program]: `#!/bin/sh\nprintf '%s' '${message}' >&2\nexit 1\n` }), program)
    fs.chmodSync(file, 0o755)
    const find = (name: string): string | undefined => (name === program ? file : undefined)
    const clipboard = openX11({ find, env: { DISPLAY: ':0' }, patienceMs: 5000 })
    const read = clipboard?.read().catch((error: unknown) => (error instanceof Error ? error.message : ''))
    expect(await read).toBe(expected)
  })
})
