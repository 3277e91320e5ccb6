import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, inject, it } from 'vitest'
import { nativeCalls } from '../../packages/clada/src/workspace/native.ts'
import { scratchDir, inState } from '../support/scratch.ts'
import { figure, many } from './endurance.ts'
import { startClada } from './kill.ts'
import { type Call, execute } from './world.ts'

/** Elsewhere nothing can exchange two files, and a save by rename has its chance to be lost. */
const exchanges = nativeCalls() !== undefined

const wanted = many ? 10_000 : 40
const names = Array.from({ length: many ? 80 : 8 }, (_, at) => `f${at}.txt`)
const pause = (longest: number) => new Promise((done) => setTimeout(done, Math.random() ** 4 * longest))
const wordsIn = (file: string): string[] => fs.readFileSync(file, 'utf8').split(';').slice(0, -1)

it(
  'executions and editors on the same files lose no save',
  { timeout: 900_000, retry: exchanges ? 0 : 2 },
  async () => {
    const root = scratchDir(Object.fromEntries(names.map((name) => [name, ''])))
    const file = (name: string): string => path.join(root, name)
    const saves = { written: 0, renamed: 0 }
    const typed: string[] = []
    const saved = (how: keyof typeof saves, word: string): void => {
      typed.push(word)
      saves[how]++
    }
    const editing = names.map(async (name, which) => {
      for (let at = 0; typed.length < wanted; at++) {
        const [word, text] = [`e${which}-${at}`, fs.readFileSync(file(name), 'utf8')]
        if (which % 2 === 0) {
          fs.writeFileSync(file(`${name}~`), `${text}${word};`)
          fs.renameSync(file(`${name}~`), file(name))
          saved('renamed', word)
        } else {
          // As editors do that keep the file: emptied, then filled in pieces.
          const half = text.length >> 1
          const fd = fs.openSync(file(name), 'w')
          for (const piece of [text.slice(0, half), `${text.slice(half)}${word};`]) {
            await pause(many ? 3000 : 300)
            fs.writeSync(fd, piece)
          }
          fs.closeSync(fd)
          saved('written', word)
        }
        await pause(many ? 1000 : 100)
      }
    })
    let going = true
    const done = Promise.all(editing).finally(() => (going = false))
    let executions = 0
    const failed = new Set<string>()
    const calls = (who: string): Call[] =>
      Array.from({ length: 20 }, (_, at) => {
        // Files that are saved by writing are waited for, so one execution is for them.
        const which = Math.floor((Math.random() * names.length) / 2) * 2 + (who === 'z' ? 1 : 0)
        const name = names[which] ?? ''
        return ['file_append', { path: name, content: `${who}${executions}-${at};` }]
      })
    const executing = ['x', 'y', 'z'].map(async (who) => {
      while (going) {
        executions++
        const each = calls(who)
        if (who === 'z') {
          const { results } = await execute(root, 'off', each)
          for (const [at, { success }] of results.entries()) if (!success) failed.add(each[at]?.[1]['content'] ?? '')
        } else await once(startClada(inject('cli'), root, each, '--no-git'), 'close')
      }
    })
    await Promise.all([done, ...executing])
    const state = (dir: string): string[] => {
      const full = inState(root, dir)
      return fs.existsSync(full) ? fs.readdirSync(full).map((name) => path.join(full, name)) : []
    }
    const here = names.flatMap((name) => wordsIn(file(name)))
    const apart = [...state('conflicts'), ...state('displaced')]
    const everything = new Set([...here, ...apart.flatMap(wordsIn)])
    const lost = typed.filter((word) => !everything.has(word))
    if (exchanges) expect(lost).toEqual([])
    expect(lost.length).toBeLessThan(1 + (exchanges ? 0 : typed.length / 50))
    // Some executions did something, and none that reported a file as left alone has changed it.
    expect(here.some((word) => /^[xyz]/.test(word))).toBe(true)
    expect(here.filter((word) => failed.has(`${word};`))).toEqual([])
    expect(fs.readdirSync(root).filter((name) => name.startsWith('.clada-'))).toEqual([])
    figure('saves', { ...saves, executions, lost: lost.length, apart: apart.length })
  },
)
