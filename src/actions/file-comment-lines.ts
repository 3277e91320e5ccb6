import { defineAction, lines, path } from '../core/action.ts'
import { changeComments, type ChangeLines } from './comment-lines.ts'
import { expectHash } from './common-params.ts'
import { expectLines } from './line-range.ts'

export const fileCommentLines = defineAction({
  name: 'file_comment_lines',
  aliases: [],
  description: "Turn lines into comments, with the marks of the file's language. Blank lines stay as they are.",
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
      title: 'puts the marks where the least indented line begins',
      before: { 'a.js': 'f() {\n  one()\n\n    two()\n}\n' },
      params: { path: 'a.js', lines: '2-4' },
      after: { 'a.js': 'f() {\n  // one()\n\n  //   two()\n}\n' },
      data: { lines_changed: 2 },
    },
    {
      title: 'knows languages whose comments must be closed',
      before: { 'a.css': 'a { b: c }\n' },
      params: { path: 'a.css', lines: '1' },
      after: { 'a.css': '/* a { b: c } */\n' },
    },
    {
      title: 'says so when it does not know the language',
      before: { 'a.unknown': 'x\n' },
      params: { path: 'a.unknown', lines: '1' },
      code: 'invalid_parameter',
    },
  ],
  run: (call, { files }) =>
    changeComments(files, call, comment, 'there is nothing but blank lines; nothing was changed'),
})

const comment: ChangeLines = (lines, { open, close }) => {
  const refused = close === '' ? -1 : lines.findIndex((line) => line.includes(close))
  if (refused !== -1) return { refused }
  const full = lines.filter((line) => line.trim() !== '')
  const column = full.reduce((least, line) => Math.min(least, line.length - line.trimStart().length), Infinity)
  return {
    lines: lines.map((line) => {
      if (line.trim() === '') return line
      return `${line.slice(0, column)}${open} ${line.slice(column)}${close === '' ? '' : ` ${close}`}`
    }),
  }
}
