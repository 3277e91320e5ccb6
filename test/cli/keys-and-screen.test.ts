import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openBoard } from '../../packages/clada/src/cli/watch/clipboard.ts'
import { makeKeyReader } from '../../packages/clada/src/cli/watch/keys.ts'
import { makeLiveScreen } from '../../packages/clada/src/cli/watch/screen.ts'
import { cellsOf, truncateToWidth, wrapLine } from '../../packages/clada/src/report/width.ts'
import { scratchDir } from '../support/scratch.ts'
import { written } from '../support/in-process.ts'

describe('keys', () => {
  /** Chunks that come right after each other; null is a pause. */
  const readAll = (chunks: readonly (string | null)[]): string[] => {
    const heard: string[] = []
    let seconds = 0
    let waiting: (() => void) | undefined
    const pause = (): void => {
      const then = waiting
      waiting = undefined
      then?.()
    }
    const reader = makeKeyReader(
      { onKey: (key) => heard.push(key), onPaste: (text) => heard.push(`paste:${text}`) },
      () => 1000 * seconds++,
      (then) => {
        waiting = then
        return () => (waiting = undefined)
      },
    )
    for (const chunk of chunks) {
      if (chunk === null) pause()
      else reader(chunk)
    }
    pause()
    return heard
  }
  it('are told from pasted text, however it is cut', () => {
    expect(readAll(['u', 'yq'])).toEqual(['u', 'y', 'q'])
    expect(readAll(['\u001b[A\r\u0003'])).toEqual(['enter', 'ctrl-c'])
    expect(readAll(['a\u001b[200~y\ra', 'n\u001b[20', '1~', 'u'])).toEqual(['a', 'paste:y\nan', 'u'])
    expect(readAll(['a long text without brackets'])).toEqual(['paste:a long text without brackets'])
    expect(readAll(['a long text that ends in\r', 'q', null, 'u'])).toEqual(['paste:a long text that ends in\nq', 'u'])
  })
})

describe('a paste that pretends to be over', () => {
  const ends = '\u001b[201~'
  it('presses no key', () => {
    for (const chunks of [
      [`\u001b[200~x${ends}a${ends}`],
      [`\u001b[200~x${ends}`, `a${ends}`],
      ['\u001b[200~x', `${ends}a`, ends],
      [`\u001b[200~x${ends}\u001b[200~a${ends}y`],
    ]) {
      const keys: string[] = []
      const reader = makeKeyReader({ onKey: (key) => keys.push(key), onPaste: () => {} }, () => 0)
      for (const chunk of chunks) reader(chunk)
      expect(keys).toEqual([])
    }
  })
})

describe('widths', () => {
  it('count wide characters twice and marks not at all', () => {
    expect(cellsOf('ab')).toBe(2)
    expect(cellsOf('漢字')).toBe(4)
    expect(cellsOf('e\u0301')).toBe(1)
    expect(cellsOf('\u001b[31mred\u001b[0m')).toBe(3)
    expect(truncateToWidth('漢字漢字', 5)).toBe('漢字…')
    expect(truncateToWidth('short', 5)).toBe('short')
    expect([truncateToWidth('short', 1), truncateToWidth('short', 0)]).toEqual(['…', ''])
    expect(truncateToWidth('\u001b[31mred paint\u001b[0m', 4)).toBe('\u001b[31mred…\u001b[0m')
  })

  it('break lines between words, and keep what stands before them', () => {
    expect(wrapLine('It fits.', 8)).toEqual(['It fits.'])
    expect(wrapLine('    → Copy it exactly as it is.', 16)).toEqual([
      '    → Copy it',
      '      exactly as',
      '      it is.',
    ])
    expect(wrapLine('  f      again', 10)).toEqual(['  f', '  again'])
    expect(wrapLine('a-very-long-word is left', 10)).toEqual(['a-very-long-word', 'is left'])
    expect(wrapLine('\u001b[2mone two\u001b[0m', 5)).toEqual(['\u001b[2mone', 'two\u001b[0m'])
  })
})

describe('the status line', () => {
  it('has whole parts, as many as fit, and is drawn only when something is new', async () => {
    const out = Object.assign(new EventEmitter(), { columns: 8 })
    const screen = makeLiveScreen(out, false)
    const drawn = await written(async () => {
      for (const parts of [
        ['ab', 'cd', 'e'],
        ['ab', 'cde', 'f'],
        ['ab', 'cde', 'f'],
      ]) {
        screen.status(parts)
        await nextTurn()
      }
      screen.print(['one line'])
      await nextTurn()
      screen.close()
    })
    const erase = '\r\u001b[J'
    expect(drawn.stdout.split(erase)).toEqual(['', 'ab · cd', 'ab', 'one line\nab', ''])
  })
})

describe('the clipboard of a listener', () => {
  it('runs the reply that waits when the key is pressed, and says when none waits', async () => {
    const [said, ran]: [string[], string[]] = [[], []]
    const reply = '<write path="a.txt"><![CDATA[x]]></write>\n'
    let copied = 'before'
    const clipboard = { name: 'a fake', read: async () => copied, write: async () => {} }
    const board = await openBoard(
      { read: true, write: false, osc52: false },
      { repoPath: scratchDir() },
      { say: (line) => said.push(line), offer: (line) => said.push(line), run: (text) => ran.push(text), keys: 'keys' },
      async () => clipboard,
    )
    board.take()
    expect(said.splice(0)).toEqual([
      'Watching the clipboard (a fake). A reply with the token of clada prompt runs immediately, any other after Enter.',
      'No copied reply is waiting.',
    ])
    copied = reply
    await expect
      .poll(() => said.splice(0), { timeout: 60_000 })
      .toEqual(['The clipboard has a block (file_write a.txt). Press Enter to run it.'])
    board.take()
    board.stop()
    expect([ran, said]).toEqual([[reply], []])
  })
})
