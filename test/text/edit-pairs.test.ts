import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parsePairs, writePairs } from '@clada/reply/text/edit-pairs.ts'

it('pairs are read back as they were written, whatever markers are in them', () => {
  const line = fc.oneof(
    fc.constantFrom('', '=======', '<<<<<<< SEARCH', '>>>>>>> REPLACE', '========', '<<<<<<<<< SEARCH', ' ======='),
    fc.string().map((text) => text.replace(/[\r\n]/g, '')),
  )
  const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'))
  const pair = fc.record({ old_text: text, new_text: text })
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 4 }), (pairs) => {
      expect(parsePairs(writePairs(pairs))).toEqual({ pairs })
    }),
  )
})

it.each([
  ['', 'it has no pair'],
  ['text', "line 1, 'text', is not <<<<<<< SEARCH"],
  ['<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nmore', "line 6, 'more'"],
  ['<<<<<<< SEARCH\na\n=======\nb', 'the pair on line 1 has no line >>>>>>> REPLACE'],
  ['<<<<<<< SEARCH\na\n>>>>>>> REPLACE', 'the pair on line 1 has no line ======='],
  ['<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE', 'two lines ======='],
  ['<<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE', 'has no line >>>>>>>> REPLACE'],
])('%j is refused: %s', (text, message) => {
  expect(parsePairs(text)).toEqual({ message: expect.stringContaining(message) })
})
