import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer, CladaOptions } from '../../packages/clada/src/index.ts'
import { append, block, listening, ownIn, ran, runsIn, sectionIn, traceOf, until } from './world.ts'

/** A command that waits for an answer, so that a test can do something while a run goes on. */
function held(): { clada: CladaOptions; asked: () => boolean; answer: (answer: ApprovalAnswer) => void } {
  let answer: ((answer: ApprovalAnswer) => void) | undefined
  return {
    clada: { ask: () => new Promise((resolve) => (answer = resolve)) },
    asked: () => answer !== undefined,
    answer: (given) => answer?.(given),
  }
}
const waits = block('wai', ['action = "run"', 'command = "no-such-command"'])

describe('while a run goes on', () => {
  it('what is typed stays, and what is new in it runs next', async () => {
    const gate = held()
    const world = await listening('', { clada: gate.clada })
    fs.writeFileSync(world.file, append(world.dir, 'one') + waits)
    await until(gate.asked)
    const typed = `I type on.\n${append(world.dir, 'one')}${waits}${append(world.dir, 'two')}`
    fs.writeFileSync(world.file, typed)
    gate.answer('no')
    await ran(world, 2)
    expect(ownIn(world.file)).toBe(typed)
    expect(traceOf(world.dir)).toEqual(['one', 'two'])
    expect(sectionIn(world.file)).toContain('two ✅')
    expect(sectionIn(world.file)).not.toContain('wai')
  })

  it('whoever has emptied the file and still writes is waited for', async () => {
    const gate = held()
    const world = await listening('', { clada: gate.clada })
    fs.writeFileSync(world.file, waits)
    await until(gate.asked)
    const fd = fs.openSync(world.file, 'w')
    gate.answer('no')
    await until(() => fs.existsSync(world.output))
    await new Promise((done) => setTimeout(done, 50))
    const typed = `${waits}more prose\n`
    fs.writeSync(fd, typed)
    fs.closeSync(fd)
    await ran(world, 1)
    expect(sectionIn(world.file)).toContain('wai ❌')
    expect(ownIn(world.file)).toBe(typed)
  })

  it('whoever holds the old file open and writes to it after it was replaced is heard', async () => {
    const world = await listening('')
    const text = append(world.dir, 'one')
    fs.writeFileSync(world.file, text)
    const fd = fs.openSync(world.file, 'r+')
    await ran(world, 1)
    expect(fs.fstatSync(fd).nlink).toBe(0)
    fs.writeSync(fd, append(world.dir, 'two'), text.length)
    fs.closeSync(fd)
    await ran(world, 2)
    expect(traceOf(world.dir)).toEqual(['one', 'two'])
    expect(ownIn(world.file)).toBe(text + append(world.dir, 'two'))
  })

  it('a file that was deleted stays deleted, and its results are in the output', async () => {
    const gate = held()
    const world = await listening('', { clada: gate.clada })
    fs.writeFileSync(world.file, waits)
    await until(gate.asked)
    fs.rmSync(world.file)
    gate.answer('no')
    await ran(world, 1)
    expect(fs.existsSync(world.file)).toBe(false)
    expect(fs.readFileSync(world.output, 'utf8')).toContain('wai ❌ run no-such-command')
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 2)
  })

  it('its own writing starts no other', async () => {
    const world = await listening('')
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    // Nothing but a change can be seen to come after nothing.
    fs.appendFileSync(world.file, 'prose\n')
    await until(() => world.events.at(-1)?.kind === 'nothing-new')
    expect(runsIn(world)).toBe(1)
    expect(world.events.filter(({ kind }) => kind === 'nothing-new')).toHaveLength(1)
  })

  it('a random typist loses nothing', async () => {
    const world = await listening('')
    let typed = ''
    for (let round = 0; round < 25; round++) {
      // Like an editor that loads what is on the disk before it saves.
      const top = sectionIn(world.file)
      typed += `line ${round}\n${append(world.dir, `b${round + 10}`)}`
      fs.writeFileSync(world.file, round % 3 === 0 ? typed : top + typed)
      await new Promise((done) => setTimeout(done, (round * 37) % 70))
    }
    const wanted = Array.from({ length: 25 }, (_, round) => `b${round + 10}`)
    await until(() => traceOf(world.dir).length >= wanted.length)
    expect(traceOf(world.dir)).toEqual(wanted)
    await until(() => sectionIn(world.file).includes('b34 ✅'))
    expect(ownIn(world.file)).toBe(typed)
  })

  it('it is stopped: what is left is skipped, and the file is whole', async () => {
    const gate = held()
    const world = await listening('', { clada: gate.clada })
    const text = append(world.dir, 'one') + waits + append(world.dir, 'two')
    fs.writeFileSync(world.file, text)
    await until(gate.asked)
    const stopped = world.listener.stop()
    gate.answer('no')
    await stopped
    expect(traceOf(world.dir)).toEqual(['one'])
    expect(ownIn(world.file)).toBe(text)
    expect(sectionIn(world.file)).toMatch(/two ❌ file_append .* - .*the user stopped the run/)
  })
})
