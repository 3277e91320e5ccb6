import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { typedCommands } from '../../packages/clada/src/cli/watch/commands.ts'
import { scratchDir } from '../support/scratch.ts'
import { block, listening, ownIn, ran, runsIn, until, type World } from './world.ts'

const write = (dir: string, content: string): string =>
  block('wri', ['action = "file_write"', `path = "${dir}/a.txt"`, `content = "${content}\\n"`])

async function start(text = ''): Promise<World> {
  const dir = scratchDir({ 'a.txt': 'old\n' })
  const clada = new Clada({ repoPath: dir, gitCommit: false })
  return listening(text, { dir, commands: typedCommands(clada), clada: { matching: 'tolerant' } })
}

const add = (world: World, text: string): void => fs.writeFileSync(world.file, `${ownIn(world.file)}\n${text}`)
const contentOf = ({ dir }: World): string => fs.readFileSync(path.join(dir, 'a.txt'), 'utf8')
const typed = ({ events }: World): number => events.filter(({ kind }) => kind === 'command-done').length

it('a line saved by itself undoes, redoes and shows, and its result takes its place', async () => {
  const world = await start()
  add(world, write(world.dir, 'new'))
  await ran(world, 1)
  expect(contentOf(world)).toBe('new\n')

  add(world, '/undo\n')
  await until(() => typed(world) === 1)
  expect(contentOf(world)).toBe('old\n')
  expect(ownIn(world.file)).toMatch(/=== CLADA RESULTS ===\n\/undo\n\| Undone.*\n(?:.*\n)*=== END ===/)

  add(world, '/redo\n')
  await until(() => typed(world) === 2)
  expect(contentOf(world)).toBe('new\n')

  add(world, '/diff\n')
  await until(() => typed(world) === 3)
  add(world, '/history\n')
  await until(() => typed(world) === 4)
  expect(ownIn(world.file)).toMatch(/\/history\n\| .*edit a\.txt/)
  // Neither the shown diff nor what was done before runs.
  expect(runsIn(world)).toBe(1)
  expect(contentOf(world)).toBe('new\n')
})

it.each(['/undo\n', '/undo', '\n /undo \n\n'])('%j instead of all text undoes', async (line) => {
  const world = await start()
  add(world, write(world.dir, 'new'))
  await ran(world, 1)
  fs.writeFileSync(world.file, line)
  await until(() => typed(world) === 1)
  expect(contentOf(world)).toBe('old\n')
  expect(fs.readFileSync(world.file, 'utf8')).toMatch(/=== CLADA RESULTS ===\n\/undo\n\| Undone/)
})

it('in a reply, beside other text, or there at the start it does nothing', async () => {
  const world = await start('/undo\n')
  add(world, write(world.dir, 'new'))
  await ran(world, 1)
  add(world, `Take it back:\n\n/undo\n\n${write(world.dir, 'newer')}`)
  await ran(world, 2)
  add(world, 'Some prose.\n/undo\n')
  await until(() => world.events.some(({ kind }) => kind === 'nothing-new'))
  expect(typed(world)).toBe(0)
  expect(contentOf(world)).toBe('newer\n')
})
