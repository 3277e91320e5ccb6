import { expect, test } from 'vitest'
import { elisionIn } from '../../src/text/elision.ts'

test.each([
  '// ... existing code ...',
  '  // ...existing code...',
  '# ... rest of the function unchanged ...',
  '// ...',
  '# …',
  '/* ... existing styles ... */',
  '<!-- ... rest of the page ... -->',
  '{/* ... existing JSX ... */}',
  '-- ... other columns ...',
  '// [... unchanged ...]',
  '// ... rest of the class',
  '// … remaining methods',
  '# Rest of the code remains the same',
  '// (rest of your implementation here)',
  '...',
])('%s stands for other lines', (line) => {
  expect(elisionIn(['a', line], 'src/a.ts')).toBe(line.trim())
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
