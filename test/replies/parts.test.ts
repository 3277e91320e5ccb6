import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const cart = `import { tax } from './tax.ts'

/** Adds up. */
export function sum(items: number[]): number {
  let total = 0
  for (const item of items) total += item
  return total
}

export function count(items: number[]): number {
  return items.length
}

export class Cart {
  items: number[] = []

  add(item: number): void {
    this.items.push(item)
  }

  total(): number {
    return tax(sum(this.items))
  }
}
`
const newCount = 'export function count(items: number[]): number {\n  return new Set(items).size\n}\n'
const counted = cart.replace('items.length', 'new Set(items).size')

async function execute(files: Readonly<Record<string, string>>, reply: string, options: CladaOptions = {}) {
  const root = scratchDir(files)
  const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant', ...options })
  return { ...(await clada.execute(reply)), files: filesIn(root) }
}

const fenced = (title: string, text: string, language = 'ts'): string =>
  `${title}\n\n\`\`\`${language}\n${text}\`\`\`\n`

/** What a part makes of a file, as a proposal that waits and as one that is applied. */
async function becomes(path: string, before: string, reply: string) {
  const asked = await execute({ [path]: before }, reply)
  expect(asked.success).toBe(false)
  expect(asked.files).toEqual({ [path]: before })
  expect(asked.proposals?.map(({ kind, lacks }) => [kind, lacks])).toEqual([['part', undefined]])
  const { success, files, results } = await execute({ [path]: before }, reply, { proposals: 'apply' })
  expect(success).toBe(true)
  expect(JSON.stringify(results[0]?.warnings)).toContain('the text is a part of the file')
  return files[path]
}

describe('declarations below the name of their file', () => {
  it.each([
    ['a path in bold', '**src/cart.ts**'],
    ['a path in backticks', '`src/cart.ts`:'],
    ['a heading', '### src/cart.ts'],
    ['a sentence that tells to', 'In `src/cart.ts`, change the count function:'],
    ['an announcement', "Here's the updated `count` function in `src/cart.ts`:"],
    ['a step', '2. **Update the count function** in `src/cart.ts`:'],
    ['a heading with a sentence below it', '### 1. Update `src/cart.ts`\n\nReplace the count function with:'],
    ['a step with a sentence below it', '**Step 2: Update src/cart.ts**\n\nReplace the count function with this:'],
    ['a sentence after one that names the file', 'Open `src/cart.ts` and find the count function.\nReplace it with:'],
  ])('replace what the file has by that name: %s', async (_, title) => {
    expect(await becomes('src/cart.ts', cart, fenced(title, newCount))).toBe(counted)
  })

  it.each([
    ['alone', 'add(item: number): void {\n  this.items.unshift(item)\n}\n'],
    ['indented', '  add(item: number): void {\n    this.items.unshift(item)\n  }\n'],
    ['in its class', 'export class Cart {\n  add(item: number): void {\n    this.items.unshift(item)\n  }\n}\n'],
  ])('a method: %s', async (_, text) => {
    expect(await becomes('src/cart.ts', cart, fenced('**src/cart.ts**', text))).toBe(cart.replace('push', 'unshift'))
  })

  it('members of the one class of a file, below its bare name', async () => {
    const methods = Array.from({ length: 30 }, (_, n) => `\n  m${n}(a) {\n    return a + ${n}\n  }\n`)
    const before = `export class Cart {\n  constructor() {\n    this.items = []\n  }\n${methods.join('')}}\n`
    const some = (name: string) => `export class Cart {\n  ${name}(a) {\n    return a * 3\n  }\n}\n`
    expect(await becomes('src/cart.js', before, fenced('**src/cart.js**', some('m3'), 'js'))).toBe(
      before.replace('a + 3\n', 'a * 3\n'),
    )
    const { proposals } = await execute({ 'src/cart.js': before }, fenced('**src/cart.js**', some('none'), 'js'))
    expect(proposals?.map(({ lacks }) => lacks)).toEqual(['end'])
  })

  it('of the only file whose path ends so, also after an opening', async () => {
    for (const opening of ['', 'Sure! ', 'Great question. ']) {
      const reply = fenced(`${opening}Update \`cart.ts\` as follows:`, newCount)
      expect(await becomes('src/cart.ts', cart, reply)).toBe(counted)
    }
  })

  it('a sentence that shows a file lists it', async () => {
    const reply = fenced('`src/cart.ts` now looks like:', newCount)
    const { success, notExecuted } = await execute({ 'src/cart.ts': cart }, reply)
    expect(success).toBe(true)
    expect(notExecuted?.map(({ path, reason }) => [path, reason])).toEqual([['src/cart.ts', 'listing']])
  })

  it.each([
    ['below those that are there', cart, cart.replace("'./tax.ts'\n", "'./tax.ts'\nimport { x } from './x.ts'\n")],
    ['above all else', newCount, `import { x } from './x.ts'\n\n${newCount}`],
  ])('an import alone: %s', async (_, before, after) => {
    const title = 'Add this import at the top of `src/cart.ts`:'
    expect(await becomes('src/cart.ts', before, fenced(title, "import { x } from './x.ts'\n"))).toBe(after)
  })

  it.each([
    ['the file imports from there already', "import { y } from './x.ts'\n\ny()\nz()\nz()\nz()\nz()\nz()\n"],
    ['its first line stays the first', "'use strict'\n\na()\nb()\nb()\nb()\nb()\nb()\n"],
  ])('an import has no place of its own: %s', async (_, before) => {
    const title = 'Add this import at the top of `src/a.ts`:'
    const reply = fenced(title, "import { x } from './x.ts'\n")
    const { files, notExecuted } = await execute({ 'src/a.ts': before }, reply, { proposals: 'apply' })
    expect(files).toEqual({ 'src/a.ts': before })
    expect(notExecuted?.map(({ reason }) => reason)).toEqual(['no-place'])
  })

  it('a new one goes after its neighbour, in order', async () => {
    const text = `${newCount}\nexport function first() {\n  return 1\n}\n\nexport function second() {\n  return 2\n}\n`
    expect(await becomes('src/cart.ts', cart, fenced('**src/cart.ts**', text))).toBe(
      counted.replace(
        '\nexport class Cart',
        '\nexport function first() {\n  return 1\n}\n\nexport function second() {\n  return 2\n}\n\nexport class Cart',
      ),
    )
  })

  it('a new import comes along', async () => {
    const text = `import { uniq } from './uniq.ts'\n\n${newCount.replace('new Set(items).size', 'uniq(items)')}`
    expect(await becomes('src/cart.ts', cart, fenced('**src/cart.ts**', text))).toBe(
      cart
        .replace("'./tax.ts'\n", "'./tax.ts'\nimport { uniq } from './uniq.ts'\n")
        .replace('items.length', 'uniq(items)'),
    )
  })

  it('keeps the comment above, CRLF and the end of the file', async () => {
    const before = cart.replaceAll('\n', '\r\n').trimEnd()
    const text = 'export function sum(items: number[]): number {\n  return items.length\n}\n'
    const after = before.replace(
      'let total = 0\r\n  for (const item of items) total += item\r\n  return total',
      'return items.length',
    )
    expect(await becomes('src/cart.ts', before, fenced('**src/cart.ts**', text))).toBe(after)
  })

  it('a rule of CSS, a key of JSON, a section of Markdown, a function of Python', async () => {
    const css = 'body {\n  margin: 0;\n}\n\n.card {\n  color: red;\n}\n\n.foot {\n  color: red;\n}\n'
    expect(await becomes('a.css', css, fenced('`a.css`', '.card {\n  color: blue;\n}\n', 'css'))).toBe(
      css.replace('red', 'blue'),
    )
    const json =
      '{\n  "name": "x",\n  "version": "1.0.0",\n  "scripts": {\n    "test": "vitest",\n    "lint": "oxlint"\n  }\n}\n'
    const scripts = '{\n  "scripts": {\n    "test": "node --test"\n  }\n}\n'
    expect(await becomes('package.json', json, fenced('In `package.json`, change the script:', scripts, 'json'))).toBe(
      json.replace('vitest', 'node --test'),
    )
    const md = '# A\n\nOne.\n\n## Use\n\nTwo.\nMore.\n\n## End\n\nThree.\n'
    expect(await becomes('a.md', md, fenced('`a.md`', '## Use\n\nFour.\n', 'md'))).toBe(
      md.replace('Two.\nMore.', 'Four.'),
    )
    const py = 'import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n\n\nprint(one() + two())\n'
    expect(await becomes('a.py', py, fenced('a.py', 'def two():\n    return 22\n', 'python'))).toBe(
      py.replace('return 2\n', 'return 22\n'),
    )
  })
})

describe('a part that has no sure place', () => {
  const listed = async (path: string, before: string, reply: string) => {
    const { success, files, notExecuted } = await execute({ [path]: before }, reply, { proposals: 'apply' })
    expect(files).toEqual({ [path]: before })
    return { success, listed: notExecuted?.map(({ reason, path: file, nearest }) => [reason, file, nearest]) }
  }

  it('are not placed where that takes longer than an action may', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => `fn f${n}() {\n  one();\n}\n`).join('')
    const reply = fenced('**a.rs**', 'fn f7() {\n  two();\n}\n', 'rust')
    const kindsOf = async (options: CladaOptions): Promise<unknown> =>
      (await execute({ 'a.rs': many }, reply, options)).proposals?.map(({ kind }) => kind)
    expect(await kindsOf({})).toEqual(['part'])
    expect(await kindsOf({ limits: { actionMs: 1 } })).not.toEqual(['part'])
  })

  it('lines inside a function are listed with the nearest place', async () => {
    const text = '  let total = 1\n  for (const item of items) total += item * 2\n'
    expect(await listed('src/cart.ts', cart, fenced('**src/cart.ts**', text))).toEqual({
      success: false,
      listed: [['no-place', 'src/cart.ts', [5, 6]]],
    })
  })

  it('a name that the file has twice', async () => {
    const two = 'class A {\n  go() {\n    return 1\n  }\n}\n\nclass B {\n  go() {\n    return 2\n  }\n}\n'
    const text = 'go() {\n  return 3\n}\n'
    expect(await listed('a.ts', two, fenced('In `a.ts`, change the method:', text))).toMatchObject({ success: false })
  })

  it('what leaves lines out inside a function', async () => {
    const text = 'export function count(items: number[]): number {\n  // ... existing code ...\n  return 1\n}\n'
    const { files } = await listedFiles(fenced('In `src/cart.ts`, update count:', text))
    expect(files['src/cart.ts']).not.toContain('existing code')
  })

  const listedFiles = (reply: string) => execute({ 'src/cart.ts': cart }, reply, { proposals: 'apply' })

  it('what the file has already is a listing, in another indentation too', async () => {
    const text = 'add(item: number): void {\n  this.items.push(item)\n}\n'
    expect(await listed('src/cart.ts', cart, fenced('In `src/cart.ts`, change the method:', text))).toMatchObject({
      success: true,
      listed: [['listing', 'src/cart.ts', undefined]],
    })
  })

  it('a sentence that explains proposes nothing', async () => {
    const reply = fenced('You could change the count function in `src/cart.ts` like this:', newCount)
    expect(await listed('src/cart.ts', cart, reply)).toMatchObject({ success: true })
  })

  it('most of a file without its end still waits for a yes of its own', async () => {
    const text = cart.slice(0, cart.indexOf('  total():')) + '}\n'
    const { success, files, proposals } = await execute({ 'src/cart.ts': cart }, fenced('**src/cart.ts**', text), {
      proposals: 'apply',
    })
    expect({ success, files, lacks: proposals?.map(({ lacks }) => lacks) }).toEqual({
      success: false,
      files: { 'src/cart.ts': cart },
      lacks: ['end'],
    })
  })
})

describe('a whole file with few lines of the one that is there', () => {
  const page = `import { Card } from './card'\n\nexport default function Page() {\n  return (\n    <div>\n      <Card title="One" />\n      <Card title="Two" />\n      <Card title="Three" />\n    </div>\n  )\n}\n`
  const written = async (before: string, text: string) =>
    (await execute({ 'page.jsx': before }, fenced('page.jsx', text, 'jsx'), { proposals: 'apply' })).files['page.jsx']

  it('is written if it declares all that the file declares', async () => {
    const text = 'export default function Page() {\n  return null\n}\n'
    expect(await written(page, text)).toBe(text)
  })

  it('keeps the imports if it uses them', async () => {
    const text = 'export default function Page() {\n  return <Card title="Four" />\n}\n'
    expect(await written(page, text)).toBe(`import { Card } from './card'\n\n${text}`)
  })

  it('has the line ends of the file', async () => {
    const text = page.replace('Three', 'Four')
    expect(await written(page.replaceAll('\n', '\r\n'), text)).toBe(text.replaceAll('\n', '\r\n'))
  })
})

it.each([
  ['it begins as the file does', 'import os\n\n\ndef one():\n    return 11\n'],
  ['it has imports of its own', 'import re\nimport sys\n\n\ndef two():\n    return re, sys\n'],
])('a text that may be the whole of a shorter file waits for a yes of its own: %s', async (_, text) => {
  const before =
    'import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n\n\ndef four():\n    return os\n'
  const { files, proposals } = await execute({ 'a.py': before }, fenced('a.py', text, 'python'), { proposals: 'apply' })
  expect(files).toEqual({ 'a.py': before })
  expect(proposals).toMatchObject([{ kind: 'overwrite', lacks: expect.any(String) }])
})
