import { expect, test } from 'vitest'
import { findClosestName } from '@clada/reply/text/closest-name.ts'

const ACTIONS = [
  'file_write',
  'file_create',
  'file_append',
  'file_replace_text',
  'file_replace_all_text',
  'file_read',
  'files_read',
  'file_read_numbered',
  'dir_create',
  'ls',
  'grep',
  'exec',
]
const PARAMS = ['path', 'old_path', 'old_text', 'new_text', 'content', 'count']

test.each([
  ['write_file', ACTIONS, 'file_write'],
  ['writeFile', ACTIONS, 'file_write'],
  ['FILE-WRITE', ACTIONS, 'file_write'],
  ['filewrite', ACTIONS, 'file_write'],
  ['writefile', ACTIONS, 'file_write'],
  ['file_wirte', ACTIONS, 'file_write'],
  ['file_reed', ACTIONS, 'file_read'],
  ['create_dir', ACTIONS, 'dir_create'],
  ['replace_text', ACTIONS, 'file_replace_text'],
  ['replace_all_text_in_file', ACTIONS, 'file_replace_all_text'],
  ['read_numbered', ACTIONS, 'file_read_numbered'],
  ['grpe', ACTIONS, 'grep'],
  ['file', ACTIONS, undefined],
  ['teleport', ACTIONS, undefined],
  ['', ACTIONS, undefined],
  ['___', ACTIONS, undefined],
  ['x'.repeat(1_000_000), ACTIONS, undefined],
  ['file_path', PARAMS, 'path'],
  ['oldText', PARAMS, 'old_text'],
  ['contents', PARAMS, 'content'],
  ['Path', PARAMS, 'path'],
  ['path', [], undefined],
])('%.40s', (wanted, names, expected) => {
  expect(findClosestName(wanted, names)).toBe(expected)
})
