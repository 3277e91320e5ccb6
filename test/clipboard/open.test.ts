import { describe, expect, it } from 'vitest'
import { copyToClipboard, openClipboard } from '../../packages/clada/src/watch/clipboard/open.ts'
import { offerLine, watchClipboard } from '../../packages/clada/src/watch/clipboard/watch.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { scratchDir } from '../support/scratch.ts'

describe.runIf(process.platform === 'linux')('a machine without a clipboard (on Linux)', () => {
  it('says so in one message', async () => {
    const noDesktop =
      'No clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set. Over SSH, --osc52 copies to the clipboard of your own terminal.'
    expect(await openClipboard({ env: {} })).toEqual({ why: noDesktop })
    expect(await copyToClipboard('x', { env: {} })).toEqual({ to: [], why: [noDesktop] })
  })

  it('says what to install', async () => {
    expect(await openClipboard({ env: { WAYLAND_DISPLAY: 'wayland-0' }, dirs: [scratchDir()] })).toEqual({
      why: 'No clipboard: install wl-clipboard.',
    })
  })

  it('is no reason for a flood of messages', async () => {
    const said: string[] = []
    let reads = 0
    const broken = {
      name: 'broken',
      read: async (): Promise<string> => {
        reads++
        throw new Error('broken\x1b[2J\nand more')
      },
      write: async (): Promise<void> => Promise.reject(new Error('broken')),
    }
    const watch = await watchClipboard(broken, {
      token: () => '',
      onReply: () => {},
      onWaiting: () => {},
      onTrouble: (message) => void said.push(message),
    })
    expect(await watch.answer('x')).toBe(false)
    await new Promise((done) => setTimeout(done, 1500))
    watch.stop()
    expect(said).toEqual(['The clipboard cannot be reached: broken\\x1b[2J. clada keeps trying.'])
    expect(reads).toBeLessThan(4)
  })
})

it('offers what waits in one line that drives no terminal', () => {
  const text = ['a', 'b', 'c', 'd'].map(
    (id) =>
      `#!SHAM [@three-char-SHA-256: ${id}${id}${id}]\naction = "file_delete"\npath = "/tmp/\u202e${id}"\n#!END_SHAM_${id}${id}${id}`,
  )
  const { blocks } = findBlocks(new Source(text.join('\n')))
  expect(offerLine({ text: '', blocks }, 'none')).toMatch(/ Here only a reply with the token of clada prompt runs\.$/)
  expect(offerLine({ text: '', blocks })).toBe(
    'The clipboard has 4 blocks (file_delete /tmp/\\u202ea, file_delete /tmp/\\u202eb, file_delete /tmp/\\u202ec, 1 more). Press Enter to run them.',
  )
})
