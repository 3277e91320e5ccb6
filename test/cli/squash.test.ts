import { describe, expect, it } from 'vitest'
import { execute, git, repository } from '../history/world.ts'
import { noTyping, typing } from '../support/typing.ts'

const subjects = (root: string): string[] => git(root, 'log', '--format=%s').trim().split('\n')

async function withTwoCommits(): Promise<string> {
  const root = repository({ 'a.txt': 'one\n' })
  await execute(root, 'commit', [['file_write', { path: 'b.txt', content: 'b\n' }]])
  await execute(root, 'commit', [['file_write', { path: 'c.txt', content: 'c\n' }]])
  return root
}

describe.skipIf(noTyping !== undefined)('clada squash at a terminal', () => {
  it.each([
    ['n', 1, ['AI: create c.txt', 'AI: create b.txt', 'first'], 'Nothing was changed.'],
    ['y', 0, ['AI: create b.txt and 1 more', 'first'], '2 commits became one'],
  ])('shows what it will do and asks: %s', async (answer, status, left, said) => {
    const cwd = await withTwoCommits()
    const person = typing(['squash'], { cwd })
    await person.sees(/2 commits would become one: [\s\S]*Squash them\?/)
    expect(subjects(cwd)).toHaveLength(3)
    person.send(`${answer}\n`)
    expect(await person.ended()).toBe(status)
    expect(person.output()).toContain(said)
    expect(subjects(cwd)).toEqual(left)
  })
})
