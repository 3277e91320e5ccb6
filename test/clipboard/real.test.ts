import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Clipboard, isClipboard } from '../../packages/clada/src/watch/clipboard/clipboard.ts'
import { copyToClipboard, openClipboard } from '../../packages/clada/src/watch/clipboard/open.ts'
import {
  type ClipboardWatch,
  type Offer,
  offerLine,
  watchClipboard,
} from '../../packages/clada/src/watch/clipboard/watch.ts'
import { scratchDir } from '../support/scratch.ts'
import { Display, displayNeeds } from './support/display.ts'
import { lacks, needs } from '../support/needs.ts'

const token = '0123456789abcdefghjk'
const block = '#!nesl [@three-char-SHA-256: abc]\naction = "read_file"\npath = "/tmp/a.txt"\n#!end_abc\n'
const reply = `clada:${token}\n${block}`

describe('a real clipboard', () => {
  needs(...displayNeeds)

  let display: Display
  beforeAll(async () => {
    if (!displayNeeds.some(lacks)) display = await Display.open()
  })
  afterAll(() => {
    if (!displayNeeds.some(lacks)) display.close()
  })

  /** With only some of the programs installed. */
  const open = async (only?: readonly string[], env = display.env): Promise<Clipboard> => {
    const opened = await openClipboard({ env, patienceMs: 60_000, ...(only && { dirs: [binWith(only)] }) })
    if (!isClipboard(opened)) throw new Error(opened.why)
    return opened
  }

  const texts: Readonly<Record<string, string>> = {
    'many scripts': 'grün ✓ 日本語 😀 e\u0301 \u202eabc\u202c \u200b',
    'CRLF and no line end': 'a\r\nb\r\nc',
    'blank ends': '\n\n  a\t\n\n',
    'a BOM': '\ufeffa',
    'five megabytes': 'aé✓😀 0123456789\n'.repeat(260_000),
  }

  describe.each([[['xclip', 'xsel']], [['xclip']], [['xsel']]])('with %j', (programs) => {
    // What owns the clipboard by xsel may fail with a large text, whoever reads it.
    const given = Object.entries(texts).filter(([, text]) => programs.includes('xclip') || text.length < 1000)
    it.each(given)('gives back %s as it was', async (_, text) => {
      const clipboard = await open(programs)
      await clipboard.write(text)
      // xsel is done before it owns the clipboard.
      await vi.waitFor(async () => expect((await clipboard.read()) === text).toBe(true), 110_000)
      expect((await display.paste()) === text).toBe(true)
    })

    it('has nothing where nothing, or no text, was copied', async () => {
      const clipboard = await open(programs)
      spawnSync('xsel', ['-b', '-c'], { env: display.env })
      expect(await clipboard.read()).toBe('')
      display.copy('\x89PNG\r\n\x1a\n\0\0\xff', 'image/png')
      const text = await clipboard.read()
      if (programs.includes('xclip')) expect(text).toBe('')
    })
  })

  it('does not wait for a program that hangs', async () => {
    const dir = binWith([])
    fs.writeFileSync(path.join(dir, 'xclip'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
    const opened = await openClipboard({ env: display.env, dirs: [dir], patienceMs: 100 })
    if (!isClipboard(opened)) throw new Error(opened.why)
    await expect(opened.read()).rejects.toThrow('does not answer')
    await expect(opened.write('x')).rejects.toThrow('does not answer')
  })

  it('takes no program from the project', async () => {
    const root = scratchDir()
    fs.writeFileSync(path.join(root, 'xclip'), '', { mode: 0o755 })
    const env = { ...display.env, PATH: `${root}:${process.env['PATH']}` }
    const opened = await openClipboard({ env, roots: [root] })
    expect(opened).toMatchObject({ name: expect.not.stringContaining(root) })
  })

  it('is filled by whoever wants to copy', async () => {
    expect(await copyToClipboard('copied', { env: display.env })).toEqual({ to: ['the clipboard'], why: [] })
    await vi.waitFor(async () => expect(await display.paste()).toBe('copied'), 110_000)
  })

  describe('is watched', () => {
    it('a copy with the token is a reply, once', async () => {
      display.copy(reply)
      // Who copied is done before it owns the clipboard.
      await vi.waitFor(async () => expect(await display.paste()).toBe(reply), 110_000)
      const { log, next } = await watching()
      const other = reply.replace('a.txt', 'b.txt')
      display.copy('prose')
      display.copy(other)
      await next()
      display.copy(reply)
      await next()
      expect(log).toEqual([`token ${other}`, `token ${reply}`])
    })

    it('a copy without the token waits for a key, as long as it is there', async () => {
      const { log, next, watch } = await watching()
      display.copy(block)
      await next()
      await pause(900)
      expect(log).toEqual(['The clipboard has a block (read_file /tmp/a.txt). Press Enter to run it.'])
      display.copy('prose')
      await vi.waitFor(() => expect(log).toContain('nothing waits'), 110_000)
      expect(watch.accept()).toBe(false)
      display.copy(block)
      await next()
      expect(watch.accept()).toBe(true)
      expect(watch.accept()).toBe(false)
      expect(log.slice(-2)).toEqual(['nothing waits', `accepted ${block}`])
    })

    it('an answer of our own is none', async () => {
      const { log, next, watch } = await watching()
      display.copy(reply)
      await next()
      expect(await watch.answer(`done\n${reply}`)).toBe(true)
      await vi.waitFor(async () => expect(await display.paste()).toBe(`done\n${reply}`), 110_000)
      await pause(900)
      expect(log).toEqual([`token ${reply}`])
    })
  })

  it('that goes away is told of once, and is used again when it is back', async () => {
    const own = await Display.open()
    onTestFinished(() => own.close())
    const { log, next } = await watching(await open(undefined, own.env))
    await own.close()
    await next()
    await pause(1500)
    expect(log).toEqual([expect.stringMatching(/^The clipboard cannot be reached: .*\. clada keeps trying\.$/)])
    const back = await Display.open(own.number)
    onTestFinished(() => back.close())
    await next()
    back.copy(reply)
    await next()
    expect(log.slice(1)).toEqual(['The clipboard can be reached again.', `token ${reply}`])
  })

  /** What a watcher says, line by line. */
  async function watching(clipboard?: Clipboard): Promise<Watching> {
    const log: string[] = []
    let heard = (): void => {}
    let waiting = 0
    const say = (line: string): void => {
      log.push(line)
      waiting++
      heard()
    }
    const watch = await watchClipboard(clipboard ?? (await open()), {
      token: () => token,
      onReply: (text, how) => say(`${how} ${text}`),
      onWaiting: (offer: Offer | undefined) =>
        offer === undefined ? log.push('nothing waits') : say(offerLine(offer)),
      onTrouble: say,
    })
    onTestFinished(watch.stop)
    const next = async (): Promise<void> => {
      if (waiting === 0) await new Promise<void>((done) => (heard = done))
      waiting--
      heard = () => {}
    }
    return { log, next, watch }
  }
})

interface Watching {
  readonly log: string[]
  /** Resolves when something was said that was not waited for yet. */
  next(): Promise<void>
  readonly watch: ClipboardWatch
}

function binWith(programs: readonly string[]): string {
  const dir = scratchDir()
  for (const name of programs) fs.symlinkSync(`/usr/bin/${name}`, path.join(dir, name))
  return dir
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
