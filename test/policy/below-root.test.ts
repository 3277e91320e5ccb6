import { expect, it } from 'vitest'
import { belowRoot } from '../../packages/clada/src/policy/below-root.ts'
import { listBlockedNames } from '../../packages/clada/src/policy/commands/judge-command.ts'

it.each([
  ['/home/ada/proj/private', ['private']],
  ['/home/ada/proj/private/**', ['private/**']],
  ['/home/ada/proj', ['**']],
  ['/home/ada', ['**']],
  ['/home/ada/*', ['**']],
  ['/home/*/proj/a/*.db', ['a/*.db']],
  ['/HOME/ada/Proj/a', ['a']],
  ['/home/ada/project/a', []],
  ['/home/ada/other', []],
  ['/etc', []],
  ['/**/private', ['**/private']],
  ['/home/**/proj/x', ['**/proj/x', 'x']],
  ['/home/ada/pr**x', ['**/*x']],
  ['/home/ada/proj/a**b', ['a*b', 'a*/**/*b']],
])('%s', (pattern, below) => {
  expect(belowRoot(pattern, '/home/ada/proj').sort()).toEqual(below.toSorted())
})

it.each([
  ['stay closed', ['/home/ada/proj/private', '!.env.example', '*.key'], ['private']],
  ['open with the whole project', ['/home/ada/**', '!/home/ada/proj'], []],
])('patterns of whole paths %s', (_, deniedPatterns, whole) => {
  const closed = listBlockedNames({ deniedPatterns, root: '/home/ada/proj' })
  expect(closed.filter(({ from }) => from === 'root').map(({ pattern }) => pattern)).toEqual(whole)
})
