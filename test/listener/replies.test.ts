import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ExecutionResult } from '../../packages/clada/src/index.ts'
import { type ReplyMark, repliesIn, replyAlone } from '../../packages/clada/src/watch/replies.ts'
import { filesIn } from '../support/scratch.ts'
import { block, listening, ownIn, runsIn, sectionIn, until, type World } from './world.ts'

/** One change to one file, in each way that a model may write it. Every one needs no other to be understood. */
const forms: Readonly<Record<string, (dir: string, name: string) => string>> = {
  SHAM: (dir, name) =>
    block(name.slice(0, 3), ['action = "file_write"', `path = "${dir}/${name}"`, 'content = "new\\n"']),
  CSL: (_, name) => `Writing:\n<---WRITE file="${name}"--->\nnew\n<---END--->\n`,
  CML: (_, name) => `<write path="${name}"><![CDATA[new\n]]></write>\n`,
  'search-replace': (_, name) => `${name}\n\`\`\`\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\`\`\`\n`,
  'a unified diff': (_, name) => `\`\`\`diff\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-old\n+new\n\`\`\`\n`,
  'a patch': (_, name) => `*** Begin Patch\n*** Update File: ${name}\n@@\n-old\n+new\n*** End Patch\n`,
  'a whole file': (_, name) => `Here is the file.\n\n**${name}**\n\`\`\`\nnew\n\`\`\`\n`,
  prose: () => 'I looked at it, and nothing has to be changed there.\n',
}

const names = Object.keys(forms)
const fileOf = (at: number): string => `f${at}x.txt`
const isDone = (form: string, text: string | undefined): boolean => text?.trim() === (form === 'prose' ? 'old' : 'new')
const command = block('lsx', ['action = "run"', 'command = "ls"'])

async function start(count: number): Promise<World> {
  const world = await listening('', { clada: { proposals: 'apply', matching: 'tolerant' } })
  for (let at = 0; at < count; at++) fs.writeFileSync(path.join(world.dir, fileOf(at)), 'old\n')
  return world
}

/** Saves a further reply, and gives what came of it; undefined where there was nothing to run. */
async function saved(
  world: World,
  text: string,
  how: 'below' | 'above' = 'below',
): Promise<ExecutionResult | undefined> {
  const events = world.events.length
  const before = ownIn(world.file)
  fs.writeFileSync(world.file, how === 'below' ? `${before}\n\n${text}` : `${text}\n\n${before}`)
  await until(() => world.events.slice(events).some(({ kind }) => kind === 'done' || kind === 'nothing-new'))
  // A second run would say what the first did not.
  const done = world.events.slice(events).flatMap((event) => (event.kind === 'done' ? [event.result] : []))
  expect(done.length).toBeLessThanOrEqual(1)
  return done[0]
}

describe('a reply in a file with others', () => {
  const pairs = names.flatMap((first) => names.map((second) => [first, second] as const))

  it.each(pairs)('is judged by itself, and so is a command below both: %s, then %s', async (first, second) => {
    const world = await start(2)
    for (const [at, form] of [first, second].entries()) {
      const result = await saved(world, forms[form]?.(world.dir, fileOf(at)) ?? '')
      expect(result?.notExecuted ?? []).toEqual([])
      expect(result?.success).toBe(form === 'prose' ? undefined : true)
      expect(result?.results.map(({ params }) => path.basename(String(params['path'])))).toEqual(
        form === 'prose' ? undefined : [fileOf(at)],
      )
      expect([form, isDone(form, filesIn(world.dir)[fileOf(at)])]).toEqual([form, true])
    }
    const ran = await saved(world, command)
    expect(ran).toMatchObject({ success: true, results: [{ action: 'run', success: true }] })
    expect(ran?.notExecuted ?? []).toEqual([])
    await world.listener.stop()
    expect(sectionIn(world.file)).toMatch(/^=== CLADA RESULTS ===\nlsx ✅ run ls\n=== END ===/)
    expect([isDone(first, filesIn(world.dir)[fileOf(0)]), isDone(second, filesIn(world.dir)[fileOf(1)])]).toEqual([
      true,
      true,
    ])
  })

  it.each(names.filter((name) => name !== 'prose'))('is judged by itself at the top: %s', async (form) => {
    const world = await start(2)
    const old = form === 'SHAM' ? 'search-replace' : 'SHAM'
    await saved(world, forms[old]?.(world.dir, fileOf(0)) ?? '')
    const result = await saved(world, forms[form]?.(world.dir, fileOf(1)) ?? '', 'above')
    expect(result).toMatchObject({ success: true, results: [{ success: true }] })
    expect(filesIn(world.dir)[fileOf(1)]?.trim()).toBe('new')
  })

  it('is judged by itself after a restart, and when an older one was deleted or trimmed by the editor', async () => {
    const world = await start(4)
    const text = (form: string, at: number): string => forms[form]?.(world.dir, fileOf(at)) ?? ''
    await saved(world, text('search-replace', 0))
    await saved(world, text('SHAM', 1))
    await world.listener.stop()
    const again = await listening(undefined, { dir: world.dir, clada: { proposals: 'apply' } })
    const crlf = ownIn(again.file).replace(text('search-replace', 0), '').replaceAll('\n', '  \r\n')
    fs.writeFileSync(again.file, crlf)
    await until(() => again.events.some(({ kind }) => kind === 'nothing-new'))
    expect(await saved(again, text('a whole file', 2))).toMatchObject({ success: true, results: [{}] })
    expect(await saved(again, text('a patch', 3))).toMatchObject({ success: true, results: [{}] })
    expect(filesIn(again.dir)).toMatchObject({ [fileOf(2)]: 'new\n', [fileOf(3)]: 'new\n' })
  })

  it('runs again by itself, each one, when all are asked for', async () => {
    const world = await start(2)
    await saved(world, forms['search-replace']?.(world.dir, fileOf(0)) ?? '')
    await saved(world, forms['SHAM']?.(world.dir, fileOf(1)) ?? '')
    for (const at of [0, 1]) fs.writeFileSync(path.join(world.dir, fileOf(at)), 'old\n')
    const before = runsIn(world)
    await world.listener.again('all')
    expect(runsIn(world)).toBe(before + 2)
    expect(filesIn(world.dir)).toMatchObject({ [fileOf(0)]: 'new\n', [fileOf(1)]: 'new\n' })
    const report = fs.readFileSync(world.output, 'utf8')
    expect(report).toContain(fileOf(0))
    expect(report).toContain(fileOf(1))
    expect(sectionIn(world.file)).toContain(fileOf(0))
    expect(sectionIn(world.file)).toContain(fileOf(1))
  })

  it('that is corrected runs, and does not report the others', async () => {
    const world = await start(2)
    const wrong = forms['search-replace']?.(world.dir, fileOf(0)).replace('old', 'nowhere') ?? ''
    expect(await saved(world, wrong)).toMatchObject({ success: false })
    await saved(world, forms['SHAM']?.(world.dir, fileOf(1)) ?? '')
    const events = world.events.length
    fs.writeFileSync(world.file, fs.readFileSync(world.file, 'utf8').replace('nowhere', 'old'))
    await until(() => world.events.slice(events).some(({ kind }) => kind === 'done'))
    const done = world.events.slice(events).flatMap((event) => (event.kind === 'done' ? [event.result] : []))
    expect(done).toMatchObject([{ success: true, results: [{ success: true }] }])
    expect(filesIn(world.dir)[fileOf(0)]).toBe('new\n')
  })

  it('that was saved in two parts is one', async () => {
    const world = await start(1)
    await saved(world, `Here it is.\n\n**${fileOf(0)}**`)
    expect(await saved(world, '```\nnew\n```\n')).toMatchObject({ success: true, results: [{ success: true }] })
    const cut = await start(1)
    await saved(cut, '#!SHAM [@three-char-SHA-256: cut]\naction = "file_write"\n')
    const rest = `path = "${cut.dir}/${fileOf(0)}"\ncontent = "new"\n#!END_SHAM_cut\n`
    expect(await saved(cut, rest)).toMatchObject({ success: true, results: [{ success: true }] })
  })

  it('whose edit cannot be read is reported once, also without a block', async () => {
    const world = await start(2)
    await saved(world, forms['SHAM']?.(world.dir, fileOf(0)) ?? '')
    const result = await saved(world, `${fileOf(1)}\n\`\`\`\n<<<<<<< SEARCH\nold\n=======\nnew\n\`\`\`\n`)
    expect(result?.success).toBe(false)
  })

  const cutOff: Readonly<Record<string, string>> = {
    'a heredoc':
      '#!SHAM [@three-char-SHA-256: cut]\naction = "file_write"\npath = "/x"\ncontent = <<\'EOT_SHAM_cut\'\nhalf',
    'a SHAM block': '#!SHAM [@three-char-SHA-256: cut]\naction = "file_write"\n',
    'a CSL block': '<---WRITE file="x.txt"--->\nhalf\n',
    'a CML element': '<write path="x.txt"><![CDATA[half\n',
    'a search-replace block': 'x.txt\n<<<<<<< SEARCH\nold\n=======\nhalf\n',
    'a patch': '*** Begin Patch\n*** Update File: x.txt\n@@\n-old\n+half\n',
    'a code fence': 'Here is **x.txt**:\n\n**x.txt**\n```\nhalf\n',
  }
  const complete = names.filter((name) => name !== 'prose')
  it.each(Object.entries(cutOff))('is complete below one that was cut off in %s', async (_, text) => {
    const world = await start(complete.length)
    await saved(world, text)
    for (const [at, form] of complete.entries()) {
      const result = await saved(world, forms[form]?.(world.dir, fileOf(at)) ?? '')
      expect([form, result]).toMatchObject([form, { success: true, results: [{ success: true }] }])
      expect([form, filesIn(world.dir)[fileOf(at)]?.trim()]).toEqual([form, 'new'])
    }
    expect(filesIn(world.dir)['x.txt']).toBeUndefined()
  })

  it('completes one that was cut off, with further blocks after it', async () => {
    const world = await start(2)
    const [one, two] = [0, 1].map((at) => forms['SHAM']?.(world.dir, fileOf(at)) ?? '')
    await saved(world, one?.slice(0, 60) ?? '')
    fs.writeFileSync(world.file, `${ownIn(world.file)}${one?.slice(60)}${two}`)
    await until(() => filesIn(world.dir)[fileOf(1)] === 'new\n')
    expect(filesIn(world.dir)[fileOf(0)]).toBe('new\n')
  })
})

describe('the replies of a file', () => {
  const marksOf = (text: string, before: readonly ReplyMark[] = []): ReplyMark[] =>
    repliesIn(text, before, () => false).map(({ from, to, digest }) => ({ lines: to - from, digest, state: 'whole' }))
  const two = marksOf('a\nb\n\nc\n', marksOf('a\nb\n'))
  const parts = (text: string, before = two): string[] =>
    repliesIn(text, before, () => false).map(
      (reply) => `${reply.before === undefined ? '+' : ' '}${replyAlone(text, reply).trim()}`,
    )

  it.each([
    ['nothing', '\n\n', []],
    ['the same', 'a\nb\n\nc\n', [' a\nb', ' c']],
    ['other blank lines and line ends', 'a \r\nb\r\nc\r\n\r\n', [' a \r\nb', ' c']],
    ['one more below', 'a\nb\nc\nd\n', [' a\nb', ' c', '+d']],
    ['one more above', 'd\na\nb\nc\n', ['+d', ' a\nb', ' c']],
    ['one more between', 'a\nb\nd\nc\n', [' a\nb', '+d', ' c']],
    ['the first deleted', 'c\nd\n', [' c', '+d']],
    ['the last deleted', 'a\nb\nd\n', [' a\nb', '+d']],
    ['the first changed', 'a\nx\nc\n', ['+a\nx', ' c']],
    ['all changed', 'x\ny\n', ['+x\ny']],
    ['the last one grown', 'a\nb\ncc\n', [' a\nb', '+cc']],
  ])('are found again: %s', (_, text, found) => {
    expect(parts(text)).toEqual(found)
  })

  it('keep their lines', () => {
    const text = 'a\nb\n\nc\nd\n'
    const [, , fresh] = repliesIn(text, two, () => false)
    expect(fresh && replyAlone(text, fresh)).toBe('\n\n\n\nd\n')
  })
})
