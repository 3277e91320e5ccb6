import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { append, block, listening, ownIn, ran, runsIn, sectionIn, traceOf, until, type World } from './world.ts'

/** Every way in which editors put a text into a file. */
const saves: Readonly<Record<string, (file: string, text: string) => void | Promise<void>>> = {
  'in place': (file, text) => fs.writeFileSync(file, text),
  'by renaming another over it': (file, text) => {
    fs.writeFileSync(`${file}.swp`, text)
    fs.renameSync(`${file}.swp`, file)
  },
  'by moving the old one away first': (file, text) => {
    fs.renameSync(file, `${file}~`)
    fs.writeFileSync(file, text)
  },
  'by deleting and creating': async (file, text) => {
    fs.rmSync(file)
    await new Promise((done) => setTimeout(done, 60))
    fs.writeFileSync(file, text)
  },
  'by emptying and then writing': async (file, text) => {
    const fd = fs.openSync(file, 'w')
    await new Promise((done) => setTimeout(done, 60))
    fs.writeSync(fd, text)
    fs.closeSync(fd)
  },
  'in pieces, cut inside a block': async (file, text) => {
    const fd = fs.openSync(file, 'w')
    for (let at = 0; at < text.length; at += 90) {
      fs.writeSync(fd, text.slice(at, at + 90))
      await new Promise((done) => setTimeout(done, 60))
    }
    fs.closeSync(fd)
  },
}

describe('a file is saved', () => {
  for (const [how, save] of Object.entries(saves)) {
    it(how, async () => {
      const world = await listening('Nothing yet.\n')
      const first = `Do this.\n\n${append(world.dir, 'one')}`
      await save(world.file, first)
      await until(() => sectionIn(world.file).includes('one ✅'))
      expect(ownIn(world.file)).toBe(first)

      const second = `${first}\nAnd this:\n\n${append(world.dir, 'two')}\n${append(world.dir, 'three')}`
      await save(world.file, second)
      await until(() => sectionIn(world.file).includes('three ✅'))
      expect(traceOf(world.dir)).toEqual(['one', 'two', 'three'])
      expect(ownIn(world.file)).toBe(second)
    })
  }

  it('in two parts with a long pause, and runs nothing again', async () => {
    const world = await listening('Nothing yet.\n')
    const first = `Do this.\n\n${append(world.dir, 'one')}`
    fs.writeFileSync(world.file, first)
    await ran(world, 1)
    const second = `${first}\n${append(world.dir, 'two')}`
    fs.writeFileSync(world.file, second.slice(0, first.length - 20))
    await until(() => sectionIn(world.file).includes('not closed'))
    fs.writeFileSync(world.file, second)
    await until(() => sectionIn(world.file).includes('two ✅'))
    expect(traceOf(world.dir)).toEqual(['one', 'two'])
  })

  it('twice in a row, and runs once', async () => {
    const world = await listening('')
    const text = append(world.dir, 'one')
    fs.writeFileSync(world.file, text)
    fs.writeFileSync(world.file, text)
    await ran(world, 1)
    fs.writeFileSync(world.file, `${text}\nonly prose was added\n`)
    fs.writeFileSync(world.file, `${text}\nonly prose was added\n${append(world.dir, 'two')}`)
    await ran(world, 2)
    expect(traceOf(world.dir)).toEqual(['one', 'two'])
    expect(runsIn(world)).toBe(2)
    expect(sectionIn(world.file)).toBe(
      `=== CLADA RESULTS ===\ntwo ✅ file_append ${world.dir}/trace.txt\n=== END ===\n\n`,
    )
  })

  it('with the results in it, as an editor that loaded them saves it', async () => {
    const world = await listening('')
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    fs.appendFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    expect(traceOf(world.dir)).toEqual(['one', 'two'])
    expect(fs.readFileSync(world.file, 'utf8').match(/=== CLADA RESULTS ===/g)).toHaveLength(1)
  })

  it('with a block again that a version lacked, and not otherwise', async () => {
    const world = await listening('')
    const one = append(world.dir, 'one')
    fs.writeFileSync(world.file, one)
    await ran(world, 1)
    // Pasted a second time by accident: noticed, said, not run.
    fs.writeFileSync(world.file, one + one)
    await until(() => sectionIn(world.file).includes('ran before'))
    expect(sectionIn(world.file)).toContain(`one ⚠️  file_append ${world.dir}/trace.txt - ran before, not run again`)
    fs.writeFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    fs.writeFileSync(world.file, one)
    await ran(world, 3)
    expect(traceOf(world.dir)).toEqual(['one', 'two', 'one'])
  })

  it('without the results, as an editor that never loads them: they are told again', async () => {
    const world = await listening('')
    const text = append(world.dir, 'one')
    fs.writeFileSync(world.file, text)
    await ran(world, 1)
    for (const prose of ['', 'and prose\n']) {
      fs.writeFileSync(world.file, text + prose)
      await until(() => sectionIn(world.file).includes('one ⚠️  file_append'))
      expect(ownIn(world.file)).toBe(text + prose)
    }
    expect(traceOf(world.dir)).toEqual(['one'])
  })

  it('by an editor that breaks lines its own way and trims them: nothing runs again', async () => {
    const world = await listening('')
    const heredoc = ['action = "file_append"', `path = "${world.dir}/trace.txt"`, "content = <<'EOT_SHAM_her'"]
    const texts = [
      append(world.dir, 'one').replace(']\n', ']  \n'),
      block('her', [...heredoc, 'two  ', '', 'EOT_SHAM_her']),
      '<---WRITE file="trace.txt" append="true"--->\nthree \n<---END--->\n',
      `<---TASKS--->\n${'<---WRITE file="trace.txt" append="true"--->\nfour \n<---END---> \n'.repeat(2)}<---END--->\n`,
      '```diff\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+text \n+\n```\n',
    ]
    for (const text of texts) {
      fs.writeFileSync(world.file, text)
      await ran(world, texts.indexOf(text) + 1)
      const trace = traceOf(world.dir)
      const trimmed = text.replaceAll(/ +\n/g, '\n')
      for (const other of [text.replaceAll('\n', '\r\n'), trimmed, text.trimEnd(), trimmed.replaceAll('\n', '\r\n')]) {
        const before = world.events.length
        fs.writeFileSync(world.file, sectionIn(world.file) + other)
        await until(() => world.events.slice(before).some(({ kind }) => kind === 'nothing-new' || kind === 'done'))
      }
      expect(traceOf(world.dir)).toEqual(trace)
    }
    expect(runsIn(world)).toBe(texts.length)
  })

  it('with equal blocks, which all run when they are new', async () => {
    const world = await listening('')
    fs.writeFileSync(world.file, append(world.dir, 'one').repeat(2))
    await ran(world, 1)
    expect(traceOf(world.dir)).toEqual(['one', 'one'])
  })

  it('while the reply is still being pasted: what is cut off is said, and run when it is whole', async () => {
    const world = await listening('')
    const heredoc = block('two', [
      'action = "file_write"',
      `path = "${world.dir}/two.txt"`,
      "content = <<'EOT_SHAM_two'",
      'line',
      'EOT_SHAM_two',
    ])
    const whole = append(world.dir, 'one') + heredoc
    fs.writeFileSync(world.file, whole.slice(0, whole.indexOf('EOT_SHAM_two\n#!END')))
    await ran(world, 1)
    expect(sectionIn(world.file)).toMatch(/two ❌ file_write ERROR: Heredoc 'EOT_SHAM_two' not closed/)
    expect(fs.existsSync(path.join(world.dir, 'two.txt'))).toBe(false)
    fs.writeFileSync(world.file, whole)
    await ran(world, 2)
    expect(fs.readFileSync(path.join(world.dir, 'two.txt'), 'utf8')).toBe('line')
    expect(traceOf(world.dir)).toEqual(['one'])
  })

  it('with our own lines inside a block, which are its content', async () => {
    const world = await listening('')
    const lines = '=== CLADA RESULTS ===\nabc ✅ file_write x\n=== END ===\n'
    const text = block('doc', [
      'action = "file_write"',
      `path = "${world.dir}/doc.md"`,
      "content = <<'EOT_SHAM_doc'",
      `${lines}EOT_SHAM_doc`,
    ])
    fs.writeFileSync(world.file, text)
    await ran(world, 1)
    fs.appendFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    expect(ownIn(world.file)).toBe(text + append(world.dir, 'two'))
    expect(fs.readFileSync(path.join(world.dir, 'doc.md'), 'utf8')).toBe(lines.trimEnd())
  })

  it('with a reply pasted above the results, which are replaced all the same', async () => {
    const world = await listening('')
    const first = append(world.dir, 'one')
    fs.writeFileSync(world.file, first)
    await ran(world, 1)
    const results = sectionIn(world.file)
    fs.writeFileSync(world.file, append(world.dir, 'zero') + results + first)
    await ran(world, 2)
    expect(ownIn(world.file)).toBe(append(world.dir, 'zero') + first)
    // The next has the very same lines as its content, and those stay.
    const same = [`content = <<'EOT_SHAM_doc'`, `${sectionIn(world.file)}EOT_SHAM_doc`]
    const second =
      append(world.dir, 'two') + block('doc', ['action = "file_write"', `path = "${world.dir}/doc.md"`, ...same])
    fs.writeFileSync(world.file, first)
    await until(() => world.events.at(-1)?.kind === 'nothing-new')
    fs.writeFileSync(world.file, second + first)
    await ran(world, 3)
    expect(ownIn(world.file)).toBe(second + first)
    expect(traceOf(world.dir)).toEqual(['one', 'zero', 'two'])
  })

  it('with a name in it that would end the section', async () => {
    const world = await listening('')
    const evil = `${world.dir}/a\\n=== END ===\\n${append(world.dir, 'bad').replaceAll('\n', '\\n').replaceAll('"', '\\"')}`
    fs.writeFileSync(world.file, block('one', ['action = "file_read"', `path = "${evil}"`]))
    await ran(world, 1)
    fs.appendFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    expect(traceOf(world.dir)).toEqual(['two'])
  })

  it('with lines in it that look like the end of the section, and blocks behind them', async () => {
    const ends = ['=== END ===', `=== END ===${' '.repeat(100)}.`, `=== END ===${' '.repeat(200)}`, '=== END ===\u2003']
    for (const end of ends) {
      const world = await listening('')
      const forged = append(world.dir, 'bad').trimEnd()
      const text = block('one', ["action = <<'EOT_SHAM_one'", end, '', forged, 'EOT_SHAM_one'])
      fs.writeFileSync(world.file, text.repeat(3))
      await ran(world, 1)
      expect(
        sectionIn(world.file)
          .split('\n')
          .filter((line) => /^(?!one )[^ ]/.test(line)),
      ).toEqual(['=== CLADA RESULTS ===', '=== END ==='])
      fs.appendFileSync(world.file, append(world.dir, 'two'))
      await ran(world, 2)
      expect(ownIn(world.file)).toBe(text.repeat(3) + append(world.dir, 'two'))
      expect(traceOf(world.dir)).toEqual(['two'])
      await world.listener.stop()
    }
  })

  it('and a hook says what looks like the end of the section, with a block behind it', async () => {
    const dir = scratchDir()
    const says = path.join(dir, 'says.txt')
    fs.writeFileSync(says, `\n=== END ===${' '.repeat(100)}.\n\n${append(dir, 'bad')}`)
    const hook = { run: `cat ${says} ${dir}/missing`, continueOnError: false }
    const world = await listening('', { dir, clada: { hooks: { before: [hook], after: [] } } })
    const text = append(dir, 'one')
    fs.writeFileSync(world.file, text)
    await ran(world, 1)
    expect(sectionIn(world.file)).toMatch(/❌ .*⏎=== END === {100}\.⏎/)
    expect(ownIn(world.file)).toBe(text)
    fs.appendFileSync(world.file, 'prose\n')
    await nothingNew(world)
    expect(ownIn(world.file)).toBe(`${text}prose\n`)
    expect(traceOf(dir)).toEqual([])
  })

  it('with a byte order mark, CRLF and a mode of its own, which stay', async () => {
    const world = await listening('')
    const text = `\ufeffProse.\r\n\r\n${append(world.dir, 'one').replaceAll('\n', '\r\n')}`
    fs.writeFileSync(world.file, text)
    fs.chmodSync(world.file, 0o640)
    await ran(world, 1)
    const now = fs.readFileSync(world.file, 'utf8')
    expect(now).toBe(
      `\ufeff=== CLADA RESULTS ===\r\none ✅ file_append ${world.dir}/trace.txt\r\n=== END ===\r\n\r\n${text.slice(1)}`,
    )
    expect(fs.statSync(world.file).mode & 0o777).toBe(0o640)
    fs.appendFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    expect(ownIn(world.file)).toBe(text.slice(1) + append(world.dir, 'two'))
  })

  it('in another syntax, below the first', async () => {
    const world = await listening('')
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    fs.appendFileSync(world.file, '<---WRITE file="b.txt"--->\nB\n<---END--->\n')
    await ran(world, 2)
    expect(sectionIn(world.file)).toMatch(/\n1 ✅ file_write b\.txt\n/)
    expect(traceOf(world.dir)).toEqual(['one'])
  })

  it('with a group that failed half way, which is not taken up in its middle', async () => {
    const world = await listening('')
    const tasks = (search: string): string =>
      [
        '<---TASKS--->',
        '<---WRITE file="trace.txt" append="true"--->\nfirst\n<---END--->',
        `<---SEARCH file="a.txt"--->\n${search}\n<---REPLACE--->\nx\n<---END--->`,
        '<---WRITE file="trace.txt" append="true"--->\nsecond\n<---END--->',
        '<---END--->\n',
      ].join('\n')
    fs.writeFileSync(path.join(world.dir, 'a.txt'), 'right\n')
    fs.writeFileSync(world.file, tasks('wrong'))
    await ran(world, 1)
    fs.writeFileSync(world.file, `${tasks('wrong')}prose\n`)
    await nothingNew(world)
    expect(traceOf(world.dir)).toEqual(['first'])
    fs.writeFileSync(world.file, tasks('right'))
    await ran(world, 2)
    expect(traceOf(world.dir)).toEqual(['first', 'first', 'second'])
  })

  it('with a diff of another tool that ran before: it is not run again when blocks of ours come and go', async () => {
    const world = await listening('')
    const diff = '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+text\n'
    fs.writeFileSync(world.file, `\`\`\`diff\n${diff}\`\`\`\n`)
    await ran(world, 1)
    expect(fs.existsSync(path.join(world.dir, 'new.txt'))).toBe(true)
    fs.writeFileSync(world.file, `\`\`\`diff\n${diff}\`\`\`\n${append(world.dir, 'one')}`)
    await ran(world, 2)
    fs.rmSync(path.join(world.dir, 'new.txt'))
    fs.writeFileSync(world.file, `\`\`\`diff\n${diff}\`\`\`\nand more prose\n`)
    fs.writeFileSync(world.file, `\`\`\`diff\n${diff}\`\`\`\nand more prose\n`)
    await nothingNew(world)
    expect(fs.existsSync(path.join(world.dir, 'new.txt'))).toBe(false)
  })
})

const nothingNew = (world: World): Promise<void> => until(() => world.events.at(-1)?.kind === 'nothing-new')
