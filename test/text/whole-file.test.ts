import { describe, expect, it } from 'vitest'
import { findMissingPart } from '@clada/reply/text/whole-file.ts'

const cart = `import { tax } from './tax.js'
import { round } from './round.js'

export function count(items) {
  return items.length
}

export function sum(items) {
  let sum = 0
  for (const item of items) sum += item.price
  return round(sum)
}

export function total(items) {
  return sum(items) + tax(items)
}
`
const part = (from: string, to = '\n}\n'): string =>
  cart.slice(cart.indexOf(from), cart.indexOf(to, cart.indexOf(from)) + to.length)

const chinese = '# 购物车\n\n## 安装\n\n运行安装程序。\n\n## 使用\n\n打开文件。\n\n## 许可\n\n见许可文件。\n'
const settings =
  '{\n  "name": "cart",\n  "version": "1.0.0",\n  "scripts": {\n    "test": "vitest"\n  },\n  "type": "module",\n  "private": true\n}\n'

describe('a part of a file is not taken for the whole of it', () => {
  it.each([
    ['nothing', cart, '', 'everything'],
    ['blank lines', cart, '\n \n', 'everything'],
    ['one function', cart, part('export function sum'), 'beginning'],
    [
      'one function with another signature',
      cart,
      part('export function sum').replace('(items)', '(items, by)'),
      'beginning',
    ],
    [
      'one function with another name',
      cart,
      part('export function sum').replace('function sum', 'function add'),
      'beginning',
    ],
    ['the last function', cart, part('export function total'), 'beginning'],
    ['the first lines', cart, cart.slice(0, cart.indexOf('export function sum')), 'end'],
    [
      'an import and the first function',
      cart,
      `import { a } from './a.js'\n\n${part('export function count')}`,
      'beginning',
    ],
    ['the imports and one function', cart, `import { tax } from './tax.js'\n\n${part('export function count')}`, 'end'],
    ['a new function', cart, 'export function average(items) {\n  return sum(items) / count(items)\n}\n', 'most'],
    ['a new function longer than the file', cart, 'function a() {\n  go()\n}\n'.repeat(9), 'most'],
    ['one line', cart, "console.log('hi')\n", 'most'],
    ['imports and end without the middle', cart, `${cart.slice(0, 33)}\n${part('export function total')}`, 'most'],
    ['one function of a file with CRLF', cart.replaceAll('\n', '\r\n'), part('export function sum'), 'beginning'],
    ['a section without a letter of ASCII', chinese, '## 使用\n\n打开新文件。\n', 'beginning'],
    ['a key', settings, '"scripts": {\n  "test": "node --test"\n}\n', 'beginning'],
    ['a key in braces', settings, '{\n  "scripts": {\n    "test": "node --test"\n  }\n}\n', 'beginning'],
  ])('%s', (_, file, text, missing) => expect(findMissingPart(file, text)).toBe(missing))
})

describe('the new version of a file is taken for the whole of it', () => {
  it.each([
    ['with a changed line', cart.replace('let sum = 0', 'let sum = 1')],
    ['with lines before and after', `// Cart\n${cart}\nexport default total\n`],
    ['with other imports', cart.replace('./tax.js', '../tax.js').replace('./round.js', '../round.js')],
    ['without its first import', cart.slice(cart.indexOf('import { round }'))],
    ['without a function in the middle', cart.replace(part('export function sum'), '')],
    [
      'with another last function',
      cart.replace(part('export function total'), 'export const total = (all) =>\n  tax(all)\n'),
    ],
    ['with other indentation', cart.replaceAll('  ', '\t')],
    ['with CRLF', cart.replaceAll('\n', '\r\n')],
  ])('%s', (_, text) => expect(findMissingPart(cart, text)).toBeUndefined())

  it.each([
    ['1.0\n', '2.0\n'],
    ['Hello you\n', 'Hello world\n'],
    ['', 'x\n'],
    ['\n', ''],
    ['a=1\nb=2\n', 'c=3\nd=4\ne=5\n'],
  ])('that is short: %j for %j', (file, text) => expect(findMissingPart(file, text)).toBeUndefined())
})
