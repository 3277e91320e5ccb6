import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const before = 'def greet(name):\n    if len(name) < 3:\n        return "Hi"\n    return "Hello, " + name\n'
const after = before.replace('"Hi"', '"Hey"')
const damages: ReadonlyArray<readonly [string, (text: string) => string, string]> = [
  [
    'no-break spaces as indentation',
    (text) => text.replace(/^ +/gm, (all) => '\xa0'.repeat(all.length)),
    'no-break spaces',
  ],
  ['curly quotes', (text) => text.replace(/"([^"]*)"/g, '\u201c$1\u201d'), 'typographic punctuation'],
  ['entities', (text) => text.replaceAll('<', '&lt;'), 'HTML entities'],
  [
    'all of them',
    (text) =>
      text
        .replace(/"([^"]*)"/g, '\u201c$1\u201d')
        .replaceAll('<', '&lt;')
        .replace(/^ {4}/gm, '\xa0\xa0\xa0\xa0'),
    'HTML entities and typographic punctuation and no-break spaces',
  ],
]

async function execute(text: string, options: CladaOptions = {}, file = before) {
  const root = scratchDir({ 'greet.py': file })
  const clada = new Clada({ repoPath: root, gitCommit: false, ...options })
  const reply = `\`greet.py\`:\n\n\`\`\`python\n${text}\`\`\`\n`
  const { success, results, proposals } = await clada.execute(reply)
  const [{ code, warnings = [] } = {}] = results
  return { success, code, warnings, lacks: proposals?.map((one) => one.lacks), file: filesIn(root)['greet.py'] }
}

describe('a whole file that copying has damaged', () => {
  it.each(damages)('is not written without a yes of its own: %s', async (_, damage, words) => {
    const waits = {
      success: false,
      code: 'review_required',
      warnings: [`perhaps damaged by copying: it has ${words}, and the file has none`],
      lacks: ['characters'],
      file: before,
    }
    expect(await execute(damage(after), { proposals: 'apply' })).toEqual(waits)
    expect(await execute(damage(after))).toEqual(waits)
  })

  it('is written as it is after that yes, with the warning', async () => {
    const [, damage] = damages[1] ?? ['', String]
    const asked: unknown[] = []
    const { success, warnings, file } = await execute(damage(after), {
      proposals: 'apply',
      ask: async ({ lacks }) => {
        asked.push(lacks)
        return 'once'
      },
    })
    expect({ success, asked, file, warnings: warnings.length }).toEqual({
      success: true,
      asked: ['characters'],
      file: damage(after),
      warnings: 1,
    })
  })

  it('waits as a part of a file too, which cannot be parsed', async () => {
    const rest = '\n\ndef other():\n    return "x"\n\n\ndef more():\n    return "y"\n'
    const part = 'def greet(name):\n    return \u201cHey\u201d\n'
    expect(await execute(part, { proposals: 'apply' }, before + rest)).toMatchObject({
      success: false,
      lacks: ['end'],
      file: before + rest,
    })
  })

  it.each([
    ['a dash in new text', after.replace('def', '# A greeting \u2014 short\ndef'), before],
    ['an entity in new text', after.replace('"Hey"', '"Hey &amp; co"'), before],
    ['what the file has too', before.replace('Hello', 'Hello\u2019'), before.replace('Hi', 'Hi\u2019')],
    ['no damage', after, before],
  ])('is none with %s', async (_, text, file) => {
    expect(await execute(text, { proposals: 'apply' }, file)).toEqual({
      success: true,
      code: undefined,
      warnings: [],
      lacks: undefined,
      file: text,
    })
  })
})
