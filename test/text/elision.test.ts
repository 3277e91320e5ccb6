import { expect, test } from 'vitest'
import { elisionIn, resolveElisions } from '../../src/text/elision.ts'

test.each([
  '// ... existing code ...',
  '  // ...existing code...',
  '// ...',
  '/* ... existing styles ... */',
  '{/* ... existing JSX ... */}',
  '// [... unchanged ...]',
  '// ... rest of the class',
  '// … remaining methods',
  '// (rest of your implementation here)',
  '...',
  '/* unchanged */',
  '// (unchanged)',
  '// (rest unchanged)',
])('%s stands for other lines', (line) => {
  expect(elisionIn(['a', line], 'src/a.ts')).toBe(line.trim())
})

test.each([
  ['a.py', '# ... rest of the function unchanged ...'],
  ['a.rb', '# …'],
  ['a.py', '# Rest of the code remains the same'],
  ['a.html', '<!-- ... rest of the page ... -->'],
  ['a.sql', '-- ... other columns ...'],
])('in %s, %s does so too', (path, line) => {
  expect(elisionIn(['a', line], path)).toBe(line)
})

test.each([
  ['a.ts', '# ... existing code ...'],
  ['a.py', '// ... existing code ...'],
  ['a.md', '# ...'],
])('in %s, %s is no comment', (path, line) => {
  expect(elisionIn(['a', line], path)).toBeUndefined()
})

test('inside a fence of a Markdown file nothing is left out', () => {
  expect(elisionIn(['```html', '<!-- ... -->', '```'], 'a.md')).toBeUndefined()
  expect(elisionIn(['text', '<!-- ... -->'], 'a.md')).toBe('<!-- ... -->')
})

const file = ['a {', '  one()', '  two()', '  three()', '}', 'b {', '  one()', '}'].join('\n')

test('in the new text it stands for the old lines between its neighbours', () => {
  const old = ['a {', '  one()', '  two()', '  three()', '}']
  const fresh = ['a {', '  // ... existing code ...', '  three()', '  four()', '}']
  expect(resolveElisions(old, fresh, 'a.ts', file)).toMatchObject({
    fresh: ['a {', '  one()', '  two()', '  three()', '  four()', '}'],
  })
})

test('in both texts it stands for the lines of the file between the parts', () => {
  const dots = '  // ...'
  expect(resolveElisions(['a {', dots, '  three()'], ['a {', dots, '  3()'], 'a.ts', file)).toMatchObject({
    old: ['a {', '  one()', '  two()', '  three()'],
    fresh: ['a {', '  one()', '  two()', '  3()'],
  })
})

test.each([
  ['its neighbour is a new line', ['a {', '  one()', '}'], ['a {', '  1()', '  // ...', '}']],
  ['its neighbour is there twice', ['x', 'y', 'x', 'z'], ['x', '// ...', 'w']],
  ['a part that changes is there twice', ['  one()', '// ...', '}'], ['  1()', '// ...', '}']],
])('it is not resolved where %s', (_, old, fresh) => {
  expect(resolveElisions(old, fresh, 'a.ts', file)).toMatchObject({ kind: 'undetermined' })
})

test('a line that the file has is meant', () => {
  expect(resolveElisions(['a'], ['// ...'], 'a.ts', 'a\n// ...\n')).toEqual({ kind: 'none' })
})

test.each([
  '...args,',
  'return [...a, ...b]',
  'print("...")',
  '// Loading...',
  '// wait for it ... then go on',
  '// the rest of the code relies on this order',
  '// existing code paths are kept',
  '# see ... for why',
  '// ...and so on, as RFC 3339 has it.',
  '',
])('%s does not', (line) => {
  expect(elisionIn([line], 'src/a.ts')).toBeUndefined()
})

test.each(['a.py', 'a.pyi', 'notes.md', 'NOTES', 'list.yml'])('three dots alone are meant in %s', (path) => {
  expect(elisionIn(['    ...'], path)).toBeUndefined()
})
