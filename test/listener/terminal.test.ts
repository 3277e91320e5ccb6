import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openApprovalSocket } from '../../packages/clada/src/approvals/socket.ts'
import { cellsOf } from '../../packages/clada/src/report/width.ts'
import { needs, skipWithoutLayers } from '../support/needs.ts'
import { fill } from '../support/scratch.ts'
import { watching } from './terminal.ts'
import { append, block, sectionIn, traceOf, until } from './world.ts'

const edit = (dir: string, old: string): string =>
  block('ed1', [
    'action = "file_replace_text"',
    `path = "${dir}/greet.ts"`,
    `old_text = "${old}"`,
    'new_text = "return `Hello, ${name}!`"',
  ])
const run = (command: string): string => block('run', ['action = "run"', `command = "${command}"`])
const greet = "function greet(name) {\n  return 'Hello ' + name\n}\n"

describe('clada watch on a terminal', () => {
  needs('python3')

  it('shows each action, what it changed, failures with the nearest place, and a status line', async () => {
    const watch = await watching()
    fill(watch.dir, { 'greet.ts': greet })
    fs.appendFileSync(watch.file, edit(watch.dir, "return 'Hello ' + name"))
    await watch.sees(
      '✓ file_replace_text greet.ts\n    @@ -1,3 +1,3 @@\n     function greet(name) {\n' +
        "    -  return 'Hello ' + name\n    +  return `Hello, ${name}!`\n     }\n",
    )
    expect(watch.raw()).toContain("\u001b[31m-  return 'Hello ' + name\u001b[0m")
    await watch.sees(/✓ 1 done · \d\d:\d\d:\d\d · \d+ ms · \? help/)
    fs.appendFileSync(watch.file, edit(watch.dir, "return 'Hallo ' + name").replaceAll('ed1', 'ed2'))
    await watch.sees(/✗ file_replace_text greet\.ts\n.*old_text not found in file[^]*nearest: line 2/)
    await watch.sees('0 done, 1 failed')
    watch.send('q')
    expect(await watch.ended()).toBe(0)
  })

  it('shows what really happened to files: every place, other files, and no more than fits', async () => {
    const watch = await watching({ columns: 40 })
    const list = Array.from({ length: 40 }, (_, i) => `${i + 1}. ${watch.dir}/item\n`).join('')
    fill(watch.dir, { 'list.md': list, 'a.py': 'def f():\n    if x:\n        one()\n', 'wide.txt': 'w'.repeat(300) })
    const replace = block('all', [
      'action = "file_replace_all_text"',
      `path = "${watch.dir}/list.md"`,
      'old_text = "5. "',
      'new_text = "five. "',
    ])
    fs.appendFileSync(watch.file, replace + block('mv1', ['action = "run"', 'command = "mv wide.txt w.txt"']))
    await watch.sees(`✓ file_replace_all_text list.md\n    @@ -3,5 +3,5 @@\n     3. ${watch.dir}/item`.slice(0, 70))
    await watch.sees(
      / {4}@@ -13,5 \+13,5 @@\n {5}13\.[^]* {4}… \d+ more lines\n✓ run mv wide\.txt w\.txt\n {4}wide\.txt → w\.txt\n/,
    )
    for (const line of watch.shown().split('\n')) if (/^ {4}[ +-]/.test(line)) expect(cellsOf(line)).toBeLessThan(40)
    const lenient = 'a.py\n```\n<<<<<<< SEARCH\nif x:\n    one()\n=======\nif x:\n    two()\n>>>>>>> REPLACE\n```\n'
    fs.writeFileSync(watch.file, lenient)
    await watch.sees(
      'a.py\n    @@ -1,3 +1,3 @@\n     def f():\n         if x:\n    -        one()\n    +        two()\n',
    )
  })

  it('says of actions that were taken back with their group that nothing came of them', async () => {
    const watch = await watching()
    fill(watch.dir, { 'a.txt': 'a\n' })
    const edit = (from: string): string =>
      `<edit path="a.txt"><search><![CDATA[${from}]]></search><replace><![CDATA[b]]></replace></edit>\n`
    fs.appendFileSync(watch.file, `<tasks version="1.0" atomic="true">\n${edit('a')}${edit('nowhere')}</tasks>\n`)
    await watch.sees('0 done, 1 failed, 1 skipped')
    expect(watch.shown()).toMatch(/− file_edit a\.txt\n.*and the group is atomic\n✗ file_edit a\.txt\n/)
    expect(watch.shown()).not.toContain('✓ file_edit')
    expect(fs.readFileSync(path.join(watch.dir, 'a.txt'), 'utf8')).toBe('a\n')
  })

  it('names the line of the file that a mistake stands on, and tells the model the line of its block', async () => {
    const watch = await watching()
    const broken = block('bad', ['action = "file_write"', 'path = "/x'])
    for (const before of [append(watch.dir, 'one'), append(watch.dir, 'two')]) {
      fs.appendFileSync(watch.file, `${before}\n${broken}`)
      await until(() => sectionIn(watch.file).includes(`${before.includes('two') ? 'two' : 'one'} ✅`))
      const lines = fs.readFileSync(watch.file, 'utf8').split('\n')
      await watch.sees(
        `    line ${lines.indexOf('path = "/x') + 1} of clada_input.md, column 8: Unclosed quoted string\n`,
      )
      const output = fs.readFileSync(`${watch.dir}/.clada/output.md`, 'utf8')
      expect(output).toContain('\n[bad] file_write\nline 3 of the block, column 8: Unclosed quoted string [')
    }
    watch.send(`\u001b[200~prose\r${broken.replaceAll('bad', 'bd2').replaceAll('\n', '\r')}\u001b[201~`)
    await watch.sees('    line 4 of the reply, column 8: Unclosed quoted string\n')
  })

  it('takes keys: undo, redo, again, help, and an output to look at', async () => {
    const watch = await watching({ env: { PAGER: 'cat', DISPLAY: '', WAYLAND_DISPLAY: '' } })
    fs.appendFileSync(watch.file, append(watch.dir, 'one'))
    await watch.sees(/^1 done$/m)
    watch.send('u')
    await watch.sees('Undone: execution 1')
    expect(traceOf(watch.dir)).toEqual([])
    watch.send('r')
    await watch.sees('Redone')
    expect(traceOf(watch.dir)).toEqual(['one'])
    watch.send('x')
    await watch.sees(/^1 done$[^]*^1 done$/m)
    expect(traceOf(watch.dir)).toEqual(['one', 'one'])
    watch.send('o')
    await watch.sees('=== CHANGES ===')
    watch.send('?')
    await watch.sees(/ {2}q {6}quit/)
    watch.send('c')
    await watch.sees('It could not be copied; the report is in')
    watch.send('\u0003')
    expect(await watch.ended()).toBe(130)
    expect(watch.raw()).toContain('\u001b[?2004l')
  })

  it('asks before a command, with the command as it is and where it runs', async () => {
    const watch = await watching()
    fs.appendFileSync(watch.file, run("touch-not '\\u0441x     y'") + append(watch.dir, 'one'))
    await watch.sees(`wants to run a command in ${watch.dir}:\n    touch-not 'сx (5 spaces) y'  (not ASCII: U+0441)`)
    await watch.sees('Run it? · y once · a always · n no')
    // Any other key is no answer.
    watch.send('u')
    watch.send('n')
    await watch.sees("You refused '")
    await watch.sees('1 done, 1 failed')
  })

  it('runs what was allowed, and remembers always', async () => {
    const watch = await watching()
    fs.appendFileSync(watch.file, run('echo first'))
    await watch.sees('Run it?')
    watch.send('a')
    await watch.sees('  │ first')
    await watch.sees(/^1 done$/m)
    expect(fs.readFileSync(path.join(watch.dir, '.clada/allowed-commands.json'), 'utf8')).toContain('echo first')
  })

  it('runs nothing before the answer, tries a command by a key, and keeps its changes after a yes only (needs layers)', async (context) => {
    await skipWithoutLayers(context)
    const watch = await watching()
    fill(watch.dir, { 'make.sh': 'echo said; echo made > made.txt\n' })
    fs.appendFileSync(watch.file, run('sh make.sh'))
    await watch.sees('Run it? · y once · a always · t try it first · n no')
    watch.send('t')
    await watch.sees(/changed\. Nothing is kept yet\.\n {4}\+ made\.txt\n {2}The end of its output:\n {4}\| said\n/)
    await watch.sees('Approve it and keep this result? · y once · a always · n no')
    expect(fs.existsSync(path.join(watch.dir, 'made.txt'))).toBe(false)
    watch.send('n')
    await watch.sees("You refused 'sh make.sh'")
    await watch.sees('0 done, 1 failed')
    expect(fs.existsSync(path.join(watch.dir, 'made.txt'))).toBe(false)
    fs.appendFileSync(watch.file, run('sh ./make.sh'))
    await watch.sees('sh ./make.sh')
    // A key that comes right after the last answer is not taken for an answer to the next question.
    const answer = setInterval(() => watch.send('y'), 150)
    onTestFinished(() => clearInterval(answer))
    await watch.sees('yes, once')
    clearInterval(answer)
    await watch.sees(/^1 done$/m)
    expect(fs.readFileSync(path.join(watch.dir, 'made.txt'), 'utf8')).toBe('made\n')
  })

  it('takes the answer of a page, when that comes first', async () => {
    const watch = await watching()
    process.env['XDG_STATE_HOME'] = `${watch.dir}-state`
    fs.appendFileSync(watch.file, run('echo hello'))
    // The page may be opened while the question stands.
    await watch.sees('Run it?')
    const socket = await openApprovalSocket(watch.dir, async () => 'once')
    await watch.sees('answered on the page: once')
    await watch.sees(/^1 done$/m)
    socket?.close()
  })

  it('takes a pasted reply as a whole, and none of it as keys', async () => {
    const watch = await watching()
    watch.send(`\u001b[200~${append(watch.dir, 'one').replaceAll('\n', '\r')}quit q u\r\u001b[201~`)
    await watch.sees('1 block, from the terminal')
    await watch.sees(/^1 done$/m)
    expect(traceOf(watch.dir)).toEqual(['one'])
  })

  it('takes a long reply as a whole from a terminal that does not say what is pasted', async () => {
    const watch = await watching()
    const content = Array.from({ length: 500 }, (_, line) => `quit q u x line ${line}`).join('\\n')
    const long = block('big', ['action = "file_write"', `path = "${watch.dir}/big.txt"`, `content = "${content}"`])
    watch.send(`${long}${append(watch.dir, 'one')}`.replaceAll('\n', '\r'))
    await watch.sees('2 blocks, from the terminal')
    await watch.sees(/^2 done$/m)
    expect(traceOf(watch.dir)).toEqual(['one'])
  })

  it('fits a narrow terminal, and another width', async () => {
    const watch = await watching({ columns: 40 })
    fill(watch.dir, { 'greet.ts': greet.replace('name\n', "name + ', dear reader of lines that are too long'\n") })
    fs.appendFileSync(watch.file, append(watch.dir, 'one'))
    await watch.sees(/✓ 1 done · \d\d:\d\d:\d\d · \d+ ms/)
    for (const line of watch.shown().split('\n')) expect(cellsOf(line), line).toBeLessThanOrEqual(40)
    watch.resize(120)
    await watch.sees(/ms · \? help · u undo · x again · q quit/)
    watch.resize(20)
    await watch.sees(/✓ 1 done · \d\d:\d\d:\d\d$/)
    watch.resize(40)
    await watch.sees(/\d\d:\d\d · \d+ ms/)
    fs.appendFileSync(watch.file, edit(watch.dir, "return 'Hallo ' + name + ', dear reader of lines"))
    await watch.sees(/✗ 0 done, 1 failed/)
    watch.send('?c')
    await watch.sees(/clada\/output\.md\.$/m)
    const words = watch.shown().replaceAll(/\n */g, ' ')
    expect(words).toContain('Choose the place with --review, or give the model the report.')
    expect(words).toContain('run failed and skipped blocks again')
    for (const line of watch.shown().split('\n')) expect(cellsOf(line), line).toBeLessThanOrEqual(40)
  })

  it('uses no colours when told so', async () => {
    const watch = await watching({ env: { NO_COLOR: '1' } })
    fs.appendFileSync(watch.file, append(watch.dir, 'one'))
    await watch.sees(/^1 done$/m)
    // eslint-disable-next-line no-control-regex -- colours are what is looked for
    expect(watch.raw()).not.toMatch(/\u001b\[[\d;]*m/)
  })

  it('lets nothing from a document drive the terminal', async () => {
    const watch = await watching()
    const evil = '\\u001b]0;title\\u0007\\u001b[2J\\u202e\\u200b'
    const heredoc = ["content = <<'EOT_SHAM_wr1'", JSON.parse(`"${evil}"`), 'EOT_SHAM_wr1']
    const text =
      block('wr1', ['action = "file_write"', `path = "${watch.dir}/a.txt"`, ...heredoc]) +
      block('rd1', ['action = "file_read"', `path = "${watch.dir}/a.txt"`]) +
      block('rd2', ['action = "file_read"', `path = "${watch.dir}/${evil}"`]) +
      block('bad', [`action = "${evil}"`]) +
      '#!SHAM [@three-char-SHA-256: \u001b[2J]\n'
    fs.appendFileSync(watch.file, text)
    await watch.sees(/^2 done, /m)
    for (const bad of ['\u001b]', '\u001b[2J', '\u0007', '\u202e', '\u200b']) expect(watch.raw()).not.toContain(bad)
  })

  it('stops a run at Ctrl-C, and leaves the file whole', async () => {
    const watch = await watching()
    fs.appendFileSync(watch.file, append(watch.dir, 'one') + run('echo never') + append(watch.dir, 'two'))
    await watch.sees('Run it?')
    watch.send('\u0003')
    expect(await watch.ended()).toBe(130)
    expect(traceOf(watch.dir)).toEqual(['one'])
    expect(sectionIn(watch.file)).toMatch(/one ✅[^]*two ❌ file_append .*the user stopped the run/)
  })
})
