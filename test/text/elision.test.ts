import { expect, test } from 'vitest'
import { findElision, resolveElisions } from '@clada/reply/text/elision.ts'
import { mayElide } from '@clada/reply/text/elision-words.ts'

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
  '// ... (imports and constants stay the same)',
  '// imports stay the same',
  '// Other methods remain unchanged',
  '// [previous code remains the same]',
  '// same as before',
  '// [existing code]',
  '// <existing code>',
  '// previous code here',
  '// TODO: keep existing implementation',
  '// ---- unchanged ----',
  '// -- snip --',
  '// code omitted for brevity',
  '// omitted',
  '// (keep everything else)',
  '// keep the rest as is',
  '// 其余代码保持不变',
  '// （其他方法不变）',
  '/* 此处省略其他代码 */',
  '// 保持不变',
  '// 既存のコード',
  '// 残りは変更なし',
  '// 나머지 코드는 동일합니다',
  '// Rest bleibt unverändert',
  '// restlicher Code unverändert',
  '// Le reste du code',
  '// (le reste du fichier est inchangé)',
  '// Resto del código sin cambios',
  '// el resto del archivo',
  '// O restante do código permanece igual',
  '// resto del codice invariato',
  '// (остальной код без изменений)',
  '// остальные методы не меняются',
])('%s stands for other lines', (line) => {
  expect(findElision(['a', line], 'src/a.ts')).toBe(line.trim())
  expect(mayElide(`a\n${line}\n`)).toBe(true)
})

test.each([
  ['a.py', '# ... rest of the function unchanged ...'],
  ['a.rb', '# …'],
  ['a.py', '# Rest of the code remains the same'],
  ['a.html', '<!-- ... rest of the page ... -->'],
  ['a.sql', '-- ... other columns ...'],
  ['a.sql', '/* ... other columns ... */'],
  ['a.py', '# existing code'],
  ['a.bat', 'REM ... existing code ...'],
  ['a.vb', "' ... existing code ..."],
  ['a.ml', '(* ... existing code ... *)'],
  ['a.tf', '// ... existing code ...'],
  ['a.ini', '; ... existing keys ...'],
  ['a.py', '# 其余不变'],
  ['a.html', '<!-- Rest bleibt gleich -->'],
  ['a.md', '(rest of README unchanged)'],
  ['a.md', '... (rest unchanged)'],
  ['a.txt', '[rest of the file is unchanged]'],
])('in %s, %s does so too', (path, line) => {
  expect(findElision(['a', line], path)).toBe(line)
  expect(mayElide(`a\n${line}\n`)).toBe(true)
})

test.each([
  ['a.ts', '# ... existing code ...'],
  ['a.py', '// ... existing code ...'],
  ['a.md', '# ...'],
  ['a.md', '// ...'],
  ['a.sql', '// ... existing code ...'],
  ['a.js', "'... existing code ...'"],
  ['a.js', '// existing tests'],
  ['a.js', '// a comma may be omitted'],
  ['a.js', '// keep the rest of the arguments'],
  ['a.js', '// das Ergebnis bleibt im Cache'],
  ['a.js', '// 其他用户的配置'],
  ['a.js', '// 前の値を返す'],
  ['a.js', '// остальные пользователи'],
  ['a.js', '// le reste de la division'],
  ['a.js', '// resto de la división'],
  ['a.md', '(the same as above)'],
  ['a.md', '[rest](https://rest.example)'],
  ['a.js', '// the previous implementation was slow'],
  ['a.js', 'remaining code'],
])('in %s, %s leaves nothing out', (path, line) => {
  expect(findElision(['a', line], path)).toBeUndefined()
})

test('inside a fence of a Markdown file nothing is left out', () => {
  expect(findElision(['```html', '<!-- ... -->', '```'], 'a.md')).toBeUndefined()
  expect(findElision(['text', '<!-- ... -->'], 'a.md')).toBe('<!-- ... -->')
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
    kept: ['an elision represents 2 lines, kept'],
  })
})

test.each([
  ['its neighbour is a new line', ['a {', '  one()', '}'], ['a {', '  1()', '  // ...', '}']],
  ['its neighbour is there twice', ['x', 'y', 'x', 'z'], ['x', '// ...', 'w']],
  ['a part that changes is there twice', ['  one()', '// ...', '}'], ['  1()', '// ...', '}']],
])('it is not resolved where %s', (_, old, fresh) => {
  expect(resolveElisions(old, fresh, 'a.ts', file)).toMatchObject({ kind: 'undetermined' })
})

const cart = `import { tax } from './tax'
import { log } from './log'

export class Cart {
  items = []

  add(item) {
    this.items.push(item)
  }

  total() {
    let sum = 0
    for (const { price } of this.items) sum += price
    return sum
  }
}

export function main() {
  const cart = new Cart()
  cart.add({ price: 1 })
  return cart.total()
}

export function last() {
  return main()
}
`
const whole = (content: string) => resolveElisions(cart.split('\n'), content.split('\n'), 'cart.ts', cart, 'file')

const changed = (from: string, to: string): string => {
  expect(cart).toContain(from)
  return cart.replace(from, to)
}

test.each([
  [
    'after the first lines',
    `import { tax } from './tax'\nimport { log } from './log'\nimport { more } from './more'\n\nexport class Cart {\n  // ... existing code ...\n`,
    changed(`'./log'\n`, `'./log'\nimport { more } from './more'\n`),
  ],
  [
    'at the end',
    `${cart.slice(0, cart.indexOf('  add')).replace('[]', '[1]')}  add(item) {\n    log(item)\n    this.items.push(item)\n  }\n\n  // ... rest of the file unchanged\n`,
    changed('items = []', 'items = [1]').replace('    this.items.push', '    log(item)\n    this.items.push'),
  ],
  [
    'around a method, at the indentation of each',
    `// ... existing imports ...\n\nexport class Cart {\n  // ... existing methods ...\n\n  total() {\n    let sum = 0\n    for (const { price } of this.items) sum += price\n    return sum * tax\n  }\n}\n\n// ... rest of the file ...\n`,
    changed('return sum', 'return sum * tax'),
  ],
  [
    'around a function, with other empty lines',
    `// ...\nexport function main() {\n  const cart = new Cart()\n  cart.add({ price: 2 })\n  return cart.total() + 1\n}\n// ...\n`,
    changed('price: 1', 'price: 2').replace('cart.total()', 'cart.total() + 1'),
  ],
])('of a whole file, it stands for the lines %s', (_, content, after) => {
  expect(whole(content)).toMatchObject({ kind: 'resolved', fresh: after.split('\n') })
})

test.each([
  ['the lines above are left out without a word', `export class Cart {\n  items = [1]\n\n  // ... existing code ...\n`],
  [
    'they are, and as many lines are new',
    `export class Cart {\n  items = []\n  one = 1\n  two = 2\n\n  add(item) {\n    this.items.push(item)\n  }\n\n  // ... existing code ...\n`,
  ],
  [
    'the lines below are',
    `import { tax } from './tax'\n\n// ... existing code ...\n\nexport function main() {\n  return new Cart().total()\n}\n`,
  ],
  [
    'most of a class is',
    `import { tax } from './tax'\n\nexport class Cart {\n  total() {\n    return 1\n  }\n}\n\n// ... existing code ...\n`,
  ],
  [
    'a block is not whole before it',
    `import { tax } from './tax'\n\nexport class Cart {\n  // ...\n  total() {\n    let sum = 0\n    for (const { price } of this.items) sum += price\n    return 1\n  // ...\n`,
  ],
  [
    'something else is in place of the lines above',
    `// cart\n\nexport class Cart {\n  items = [1]\n\n  // ... existing code ...\n`,
  ],
  [
    'something new is in place of the lines below',
    `import { tax } from './tax'\n\n// ...\n\nexport function main() {\n  return 1\n}\n\nconst x = 1\n`,
  ],
  ['it is followed by what is new', `// ... existing code ...\n\nexport function more() {\n  return 2\n}\n`],
  [
    'the end of a class comes before an elision inside it',
    `import { tax } from './tax'\n\nexport class Cart {\n  items = []\n\n  add(item) {\n    log(item)\n  }\n}\n  // ... existing code ...\n`,
  ],
])('of a whole file, it is not resolved where %s', (_, content) => {
  expect(whole(content).kind).toBe('undetermined')
})

test('a line that the file has is meant', () => {
  expect(resolveElisions(['a'], ['// ...'], 'a.ts', 'a\n// ...\n')).toEqual({ kind: 'none' })
})

test.each([
  '...args,',
  'return [...a, ...b]',
  'print("...")',
  '// Loading...',
  '// the order stays the same',
  '// the same as above, for dates',
  '// remains of the old format',
  '// wait for it ... then go on',
  '// the rest of the code relies on this order',
  '// existing code paths are kept',
  '# see ... for why',
  '// ...and so on, as RFC 3339 has it.',
  '',
])('%s does not', (line) => {
  expect(findElision([line], 'src/a.ts')).toBeUndefined()
})

test.each(['a.py', 'a.pyi', 'notes.md', 'NOTES', 'list.yml'])('three dots alone are meant in %s', (path) => {
  expect(findElision(['    ...'], path)).toBeUndefined()
})

test.each([
  ['in the new text alone', ['a', 'b'], ['x', '// ... existing code ...', 'y'], { at: 2, why: 'only-new' }],
  ['in the old text alone', ['a', '// ...', 'b'], ['x', 'y'], { at: 2, why: 'only-old' }],
  ['more in the old text', ['a', '// ...', 'b', '// ...', 'c'], ['a', '// ...', 'c'], { at: 2, why: 'unequal' }],
  ['around lines that are not there', ['a', '// ...', 'z'], ['x', '// ...', 'z'], { at: 2, why: 'not-found' }],
] as const)('says where an elision is that cannot be resolved: %s', (_, old, fresh, where) => {
  expect(resolveElisions(old, fresh, 'a.ts', 'a\nm\nb\nn\nc\n')).toMatchObject({ kind: 'undetermined', ...where })
})
