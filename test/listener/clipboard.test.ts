import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sessionToken } from '../../packages/clada/src/watch/token.ts'
import { Display, displayNeeds } from '../clipboard/support/display.ts'
import { scratchDir } from '../support/scratch.ts'
import { watching, type Watching } from './terminal.ts'
import { append, sectionIn, traceOf, until } from './world.ts'
import { lacks, needs } from '../support/needs.ts'
import { cladaCall } from '../support/cli.ts'

/** The token as the watcher of this project has it. */
function tokenFor(watch: Watching): string {
  process.env['XDG_STATE_HOME'] = `${watch.dir}-state`
  return sessionToken(watch.dir)
}

describe('clada watch --clipboard', () => {
  needs('python3', ...displayNeeds)

  let display: Display
  beforeAll(async () => {
    if (!displayNeeds.some(lacks)) display = await Display.open()
  })
  afterAll(() => {
    if (!displayNeeds.some(lacks)) display.close()
  })
  const here = (...args: string[]): Promise<Watching> =>
    watching({ args, env: { DISPLAY: `:${display.number}`, WAYLAND_DISPLAY: '' } })

  it('runs a copied reply with the token at once, and puts the answer on the clipboard', async () => {
    const watch = await here('--clipboard')
    await watch.sees('Watching the clipboard')
    display.copy(`clada:${tokenFor(watch)}\n${append(watch.dir, 'one')}`)
    await watch.sees('from the clipboard')
    await watch.sees('The report is on the clipboard.')
    const answer = fs.readFileSync(`${watch.dir}/.clada/output.md`, 'utf8')
    await expect.poll(() => display.paste()).toBe(answer)
    expect(answer).toMatch(/^=== CLADA RESULTS ===\none ✅ file_append/)
  })

  it('asks for a key where nothing says that a copied reply is meant', async () => {
    const watch = await here('--clipboard')
    await watch.sees('Watching the clipboard')
    display.copy(append(watch.dir, 'one'))
    await watch.sees('Press Enter to run it')
    expect(traceOf(watch.dir)).toEqual([])
    watch.send('\r')
    await until(() => traceOf(watch.dir).length === 1)
    watch.send('\r')
    await watch.sees('No copied reply is waiting.')
  })

  it('tells nobody to press a key where there are none', async () => {
    const dir = scratchDir()
    const env = { ...process.env, DISPLAY: `:${display.number}`, WAYLAND_DISPLAY: '', XDG_STATE_HOME: scratchDir() }
    const watch = spawn(...cladaCall('watch', '--clipboard'), { cwd: dir, env })
    onTestFinished(() => void watch.kill('SIGKILL'))
    let told = ''
    watch.stdout.on('data', (chunk) => (told += String(chunk)))
    await expect.poll(() => told).toContain('others do not run.\n')
    display.copy(append(dir, 'one'))
    await expect.poll(() => told).toContain('Here only a reply with the token of clada prompt runs.')
    expect(told).not.toContain('Enter')
  })

  it('only copies with --copy, and notes it above the results', async () => {
    const watch = await here('--copy')
    fs.appendFileSync(watch.file, append(watch.dir, 'one'))
    await watch.sees('The report is on the clipboard.')
    expect(fs.readFileSync(watch.file, 'utf8')).toMatch(/^📋 Copied to clipboard\n\n=== CLADA RESULTS ===\n/)
    await expect.poll(() => display.paste()).toBe(fs.readFileSync(`${watch.dir}/.clada/output.md`, 'utf8'))
  })
})

describe('clada watch without a clipboard', () => {
  needs('python3')

  const none = { DISPLAY: '', WAYLAND_DISPLAY: '' }
  it('says so once, and watches the file all the same', async () => {
    const watch = await watching({ args: ['--clipboard'], env: none })
    await watch.sees('No clipboard:')
    for (const id of ['one', 'two']) {
      fs.appendFileSync(watch.file, append(watch.dir, id))
      await until(() => sectionIn(watch.file).includes(`${id} ✅`))
      expect(fs.readFileSync(watch.file, 'utf8')).toMatch(/^=== CLADA RESULTS ===\n/)
    }
    await watch.sees(/^1 done$[^]*^1 done$/m)
    expect(watch.shown().match(/clipboard:|copied/gi)).toEqual(['clipboard:'])
  })

  it('copies through the terminal where it is told so', async () => {
    const watch = await watching({ args: ['--osc52'], env: none })
    fs.appendFileSync(watch.file, append(watch.dir, 'one'))
    await watch.sees('The report is on the clipboard.')
    const text = watch.raw().split('\u001b]52;c;')[1]?.split('\u0007')[0] ?? ''
    expect(Buffer.from(text, 'base64').toString()).toBe(fs.readFileSync(`${watch.dir}/.clada/output.md`, 'utf8'))
  })
})
