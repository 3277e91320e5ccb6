import { defineAction, lines, path } from '../core/action.ts'
import { changeComments, type ChangeLines } from './comment-lines.ts'
import { expectHash } from './common-params.ts'
import { expectLines } from './line-range.ts'

export const fileUncommentLines = defineAction({
  name: 'file_uncomment_lines',
  aliases: [],
  description: "Take the comment marks of the file's language off lines. Lines that are no comments stay as they are.",
  effect: 'write',
  access: ['llm'],
  primary: 'path',
  display: 'never',
  params: {
    path: path('File to change.'),
    lines: lines('One line `4` or a range `23-43`.'),
    expect: expectLines,
    expect_hash: expectHash,
  },
  returns: { path: 'string', lines_changed: 'integer' },
  examples: [
    {
      title: 'takes back what file_comment_lines did',
      before: { 'a.py': 'if x:\n    # one()\n    #   two()\n' },
      params: { path: 'a.py', lines: '1-3' },
      after: { 'a.py': 'if x:\n    one()\n      two()\n' },
      data: { lines_changed: 2 },
    },
    {
      title: 'opens closed comments too',
      before: { 'a.html': '  <!-- <b>x</b> -->\n' },
      params: { path: 'a.html', lines: '1' },
      after: { 'a.html': '  <b>x</b>\n' },
    },
  ],
  run: (call, { files }) =>
    changeComments(files, call, uncomment, 'none of these lines is a comment; nothing was changed'),
})

const uncomment: ChangeLines = (lines, { open, close }) => ({
  lines: lines.map((line) => {
    const indent = line.slice(0, line.length - line.trimStart().length)
    const body = line.slice(indent.length)
    if (!body.startsWith(open) || !body.trimEnd().endsWith(close)) return line
    // A mark that is a word ends where the word does: REMOVE is no comment.
    if (/\w$/.test(open) && /^\w/.test(body.slice(open.length))) return line
    const inner =
      close === '' ? body.slice(open.length) : body.trimEnd().slice(open.length, -close.length).replace(/ $/, '')
    return indent + inner.replace(/^ /, '')
  }),
})
