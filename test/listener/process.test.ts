import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { watching } from './terminal.ts'
import { append, block, sectionIn, traceOf, until } from './world.ts'

const slow = (dir: string): string =>
  block('slo', ['action = "exec"', 'lang = "bash"', `code = "echo x >> ${dir}/began.txt; sleep 5"`])

describe('clada watch without a terminal', () => {
  it('writes plain lines, and ends at SIGTERM and Ctrl-C', async () => {
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const watch = await watching({ columns: 'none' })
      fs.appendFileSync(watch.file, append(watch.dir, 'one'))
      await watch.sees('1 done')
      expect(watch.raw()).not.toContain('\u001b')
      watch.signal(signal)
      expect(await watch.ended()).toBe(code)
    }
  })

  it('is refused where another watches, and takes over from one that was killed', async () => {
    const watch = await watching({ columns: 'none' })
    fs.appendFileSync(watch.file, append(watch.dir, 'one'))
    await watch.sees('1 done')
    const state = { XDG_STATE_HOME: `${watch.dir}-state` }
    expect(clada(['watch'], { cwd: watch.dir, env: state })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^clada: '.*clada_input\.md' is already watched by clada watch .*process \d+/),
    })
    watch.signal('SIGKILL')
    await watch.ended()
    fs.appendFileSync(watch.file, append(watch.dir, 'two'))
    const next = await watching({ columns: 'none', dir: watch.dir })
    await next.sees('1 done')
    expect(traceOf(watch.dir)).toEqual(['one', 'two'])
  })

  it('does not do again what a killed one may have done', async () => {
    const watch = await watching({ columns: 'none', args: ['--exec', 'unsandboxed', '--timeout', '90'] })
    fs.appendFileSync(watch.file, append(watch.dir, 'one') + slow(watch.dir))
    await until(() => fs.existsSync(`${watch.dir}/began.txt`))
    watch.signal('SIGKILL')
    await watch.ended()
    const next = await watching({ columns: 'none', dir: watch.dir })
    await next.sees('The last run was interrupted')
    await until(() => sectionIn(watch.file).includes('The last run was interrupted'))
    fs.appendFileSync(watch.file, append(watch.dir, 'two'))
    await next.sees('1 done')
    expect(traceOf(watch.dir)).toEqual(['one', 'two'])
    expect(fs.readFileSync(`${watch.dir}/began.txt`, 'utf8')).toBe('x\n')
  })

  it('runs again what is there with --again', async () => {
    const watch = await watching({ columns: 'none' })
    fs.appendFileSync(watch.file, append(watch.dir, 'one'))
    await watch.sees('1 done')
    watch.signal('SIGTERM')
    await watch.ended()
    const next = await watching({ columns: 'none', dir: watch.dir, args: ['--again'] })
    await next.sees('1 done')
    expect(traceOf(watch.dir)).toEqual(['one', 'one'])
  })

  it('kills a running program with itself', async () => {
    const watch = await watching({ columns: 'none', args: ['--exec', 'unsandboxed', '--timeout', '90'] })
    fs.appendFileSync(watch.file, slow(watch.dir))
    await until(() => fs.existsSync(`${watch.dir}/began.txt`))
    watch.signal('SIGTERM')
    expect(await watch.ended()).toBe(143)
    expect(sectionIn(watch.file)).toContain('slo ❌ exec bash')
  })

  it('says what is wrong with the call', async () => {
    const watch = await watching({ columns: 'none' })
    expect(clada(['watch', 'a', 'b'], { cwd: watch.dir }).status).toBe(2)
    expect(clada(['watch', '.'], { cwd: watch.dir })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is a directory'),
    })
  })
})
