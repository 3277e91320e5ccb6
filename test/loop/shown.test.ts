import { expect, it } from 'vitest'
import { called } from '../support/in-process.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { event, serving, sham } from './looping.ts'

const replies = [
  `Two edits.\n${sham('file_write', 'path = "a.txt"\ncontent = "one"')}${sham('file_read', 'path = "a.txt"').replaceAll('abc', 'rea')}`,
  `${sham('file_replace_text', 'path = "a.txt"\nold_text = "nine"\nnew_text = "ten"')}${sham('file_rename', 'path = "a.txt"').replaceAll('abc', 'ren')}`,
  'Done.',
]

it('a person reads what failed and why, and not the report that the model reads', async () => {
  const cwd = scratchDir()
  const { url } = await serving(
    ...replies.map((reply) => (response: { end: (text: string) => void }) => void response.end(event(reply, 'stop'))),
  )
  const loop = ['loop', 'task', '--no-git', '--api', url, '--model', 'm', '--until', 'grep ten a.txt']
  const { stdout, stderr, status } = await called(loop, { cwd })
  expect(filesIn(cwd)).toEqual({ 'a.txt': 'one' })
  expect(status).toBe(0)
  expect(stdout).toMatch(/^Loop 1\. Ended after 3 rounds, /)
  expect(stderr).toMatch(/\nDone\.\n$/)
  const shown = stderr.replaceAll(/\(\d+ tokens, \d+ s\)/g, '(…)')
  expect(shown.split('\n').filter((line) => line !== '')).toEqual([
    '--until: fails',
    '    Command failed with exit code 2',
    '    grep: a.txt: No such file or directory',
    '--- round 1 (…) ---',
    ...lines(replies[0]),
    '✓ file_write a.txt',
    '✓ file_read a.txt',
    '--until: fails',
    '    (no output)',
    '--- round 2 (…) ---',
    ...lines(replies[1]),
    '✗ file_replace_text a.txt',
    '    old_text not found in file',
    '✗ block ren (file_rename)',
    '    line 7: Unknown action: file_rename',
    '    → Did you mean file_move?',
    '0 done, 1 failed, 1 invalid',
    '--until: fails',
    '    (no output)',
    '--- round 3 (…) ---',
    'Done.',
  ])
})

const lines = (reply = ''): string[] => reply.split('\n').filter((line) => line !== '')
