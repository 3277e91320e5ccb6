import { describe, expect, it } from 'vitest'
import { called } from '../support/in-process.ts'
import { fill, filesIn, scratchDir } from '../support/scratch.ts'

const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Delete File: b.txt\n*** End Patch\n'

describe('clada convert', () => {
  it('writes the document on stdout and nothing else', async () => {
    const cwd = scratchDir({ 'reply.md': 'Text.\n<---WRITE file="a.txt"--->\nx & y\n<---END--->\nMore.\n' })
    expect(await called(['convert', '--to', 'cml', 'reply.md'], { cwd })).toEqual({
      status: 0,
      stdout: '<write path="a.txt"><![CDATA[x & y]]></write>\n',
      stderr: '',
    })
    expect(Object.keys(filesIn(cwd))).toEqual(['reply.md'])
  })

  it('gives a document that does the same', async () => {
    const source =
      'Text.\n<write path="a.txt"><![CDATA[one\n]]></write>\n<edit path="a.txt"><search><![CDATA[one]]></search><replace><![CDATA[two]]></replace></edit>\n'
    for (const to of ['sham', 'nesl', 'csl', 'cml', 'replacer']) {
      const cwd = scratchDir()
      const { stdout, status } = await called(['convert', '--to', to], { cwd, input: source })
      expect(status).toBe(0)
      expect((await called(['run', '--no-git'], { cwd, input: stdout })).status).toBe(0)
      expect(filesIn(cwd)).toEqual({ 'a.txt': 'two\n' })
    }
  })

  it('takes paths relative to the root in every syntax', async () => {
    const cwd = scratchDir()
    const block =
      '#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "src/a.txt"\ncontent = "x"\n#!END_SHAM_abc\n'
    expect((await called(['run', '--no-git'], { cwd, input: block })).status).toBe(0)
    expect(filesIn(cwd)).toEqual({ 'src/a.txt': 'x' })
  })

  it('says that a text has no blocks', async () => {
    const cwd = scratchDir()
    expect(await called(['convert', '--to', 'cml', '-'], { cwd, input: 'Only prose.\n' })).toEqual({
      status: 0,
      stdout: '',
      stderr: 'clada: no blocks found, so there is nothing to convert\n',
    })
  })

  it('lists what cannot be said, with its line, and ends with 1', async () => {
    const cwd = scratchDir()
    expect(await called(['convert', '--to', 'cml', '-'], { cwd, input: patch })).toEqual({
      status: 1,
      stdout: '<remove path="b.txt"/>\n',
      stderr: 'clada: line 2: not converted: file_patch: CML cannot write file_patch\n',
    })
    const sham = await called(['convert', '--to', 'sham', '--root', cwd], { cwd, input: patch })
    expect(sham.status).toBe(0)
    expect(sham.stdout).toContain(`action = "file_patch"\npath = "a.txt"\npatch = <<'EOT_SHAM_`)
  })

  it('warns of what is lost, and names the files when there are several', async () => {
    const cwd = scratchDir({
      'a.md': '<tasks>\n<write path="a"><![CDATA[x]]></write>\n</tasks>\n',
      'b.md': '<<<END>>>\n',
    })
    const { status, stderr } = await called(['convert', '--to', 'nesl', 'a.md', 'b.md'], { cwd })
    expect(status).toBe(1)
    expect(stderr).toBe(
      'clada: a.md: warning: line 1: NESL has no groups, so its blocks are no longer skipped after a failure\n' +
        'clada: b.md: line 1: not converted: <<<END>>> without a block\n',
    )
  })

  it('refuses a wrong call', async () => {
    const cwd = scratchDir()
    expect(await called(['convert'], { cwd })).toMatchObject({
      status: 2,
      stderr: 'clada: convert needs a syntax to write: --to sham|nesl|csl|cml|replacer.\n',
    })
    expect((await called(['convert', '--to', 'udiff'], { cwd })).stderr).toContain(
      '--to must be one of sham, nesl, csl, cml, replacer',
    )
    expect((await called(['help', 'convert'], { cwd })).stdout).toContain('clada convert --to SYNTAX')
  })
})

describe('--csl-delimiters', () => {
  const text = '[[WRITE file="a.txt"]]\n<---END--->\n[[END]]\n'

  it('takes two values, for every command that reads documents', async () => {
    const cwd = scratchDir({ 'reply.md': text })
    expect((await called(['--csl-delimiters', '[[', ']]', '--no-git', 'reply.md'], { cwd })).status).toBe(0)
    expect(filesIn(cwd)['a.txt']).toBe('<---END--->')
    expect((await called(['check', '--csl-delimiters=[[', ']]', 'reply.md'], { cwd })).stdout).toContain(
      '✓ lines 1-3  csl 1',
    )
    expect((await called(['diff', 'reply.md', '--csl-delimiters', '[[', ']]'], { cwd })).status).toBe(0)
    expect((await called(['--csl-delimiters', '[[', ']]', '--no-git'], { cwd, input: text })).status).toBe(0)
    const { stdout } = await called(['convert', '--to', 'csl', '--csl-delimiters', '[[', ']]', 'reply.md'], { cwd })
    expect(stdout).toBe(text)
  })

  it('names them in messages', async () => {
    const cwd = scratchDir()
    const { stdout } = await called(['check', '--csl-delimiters', '[[', ']]'], { cwd, input: '[[RUN]]\nls\n' })
    expect(stdout).toContain('Close it with [[END]].')
  })

  it('refuses what cannot be a delimiter', async () => {
    const cwd = scratchDir()
    const refused = (...values: string[]) => called(['--csl-delimiters', ...values], { cwd, input: text })
    expect(await refused('[[', '[[')).toMatchObject({
      status: 2,
      stderr: "clada: The CSL delimiters must differ from each other; '[[' and '[[' do not.\n",
    })
    for (const [start = '', end = ''] of [
      ['', ']]'],
      ['[[ ', ']]'],
      ['[[', '\t]]'],
      ['[\n[', ']]'],
    ]) {
      expect(await refused(start, end)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('must be on one line, neither empty nor with white space at their ends'),
      })
    }
    expect(await refused('[[')).toMatchObject({ status: 2, stderr: expect.stringContaining('needs two values') })
  })
})

describe('clada check', () => {
  const document = [
    '<!-- what I did -->',
    '<---TASKS--->',
    '<---WRITE file="a.txt"--->',
    'x',
    '<---END--->',
    '<---SEARCH file="a.txt" count="none"--->',
    'x',
    '<---REPLACE--->',
    '<---END--->',
    '<---END--->',
    '<move from="a" to="b"/>',
    '#!SHAM [@three-char-SHA-256: abc]',
    'action = "file_wirte"',
    'path = "/a"',
    '#!END_SHAM_abc',
    '#!SHAM [@wrong: def]',
    '```diff',
    '--- a/c.txt',
    '+++ b/c.txt',
    '@@ -1 +1 @@',
    '-x',
    '+y',
    '```',
    '<<<FILE>>>',
    'd.txt',
    '<<<OVERWRITE>>>',
    'and then it en',
  ].join('\n')

  it('explains every block of any document', async () => {
    const cwd = scratchDir()
    const { status, stdout } = await called(['check'], { cwd, input: document })
    expect(status).toBe(1)
    expect(stdout).toBe(
      [
        '✗ lines 3-5  csl 1.1  file_write a.txt',
        '    line 3, column 1: Skipped: SEARCH on line 6, in the same TASKS, is not valid [CSL_SKIPPED]',
        '    → The operations in a TASKS run only if all are valid: correct it and send the TASKS again.',
        '✗ lines 6-9  csl 1.2  file_edit a.txt',
        "    line 6, column 31: Invalid value for 'count': must be positive integer or 'all' [CSL_INVALID]",
        '    → Give the number of occurrences, as in count="3", or count="all"; the default is 1.',
        '✓ line 11  cml 2  file_move a',
        '    ⚠ <move> is deprecated: write <run><![CDATA[mv a b]]></run>',
        '✗ lines 12-15  sham abc  file_wirte /a',
        '    line 12: Unknown action: file_wirte [unknown_action]',
        '    → Did you mean file_write?',
        '✗ line 16  sham -',
        '    line 16, column 1: Invalid SHAM header format [MALFORMED_HEADER]',
        '    → Write the header as: #!SHAM [@three-char-SHA-256: def]',
        '✓ lines 18-22  udiff 4  file_patch c.txt',
        '    a proposal: shown before it is applied',
        '✗ line 24, not closed  replacer 5  file_write d.txt',
        '    line 26, column 1: Block not closed: the text ends inside <<<OVERWRITE>>> [truncated]',
        '    → End the block with <<<END>>>. Nothing from line 24 on was executed: send it again, complete.',
        '7 found, 5 with problems.',
        '',
        'The corrected block, ready to be sent again if nothing is missing:',
        '```',
        '<<<FILE>>>',
        'd.txt',
        '<<<OVERWRITE>>>',
        'and then it en',
        '<<<END>>>',
        '```',
        '',
      ].join('\n'),
    )
  })

  it('says the same in JSON', async () => {
    const cwd = scratchDir()
    const { status, stdout } = await called(['check', '--json'], { cwd, input: document })
    expect(status).toBe(1)
    const checked = JSON.parse(stdout)
    expect(checked).toMatchObject({ valid: false, name: '-' })
    const told = checked.blocks.map((block: Record<string, unknown>) => {
      const problems = block['problems']
      const codes = Array.isArray(problems) ? problems.map(({ code }: { code: string }) => code) : []
      return [block['syntax'], block['id'], block['action'], block['startLine'], block['endLine'], ...codes]
    })
    expect(told).toEqual([
      ['csl', '1.1', 'file_write', 3, 5, 'CSL_SKIPPED'],
      ['csl', '1.2', 'file_edit', 6, 9, 'CSL_INVALID'],
      ['cml', '2', 'file_move', 11, 11],
      ['sham', 'abc', 'file_wirte', 12, 15, 'unknown_action'],
      ['sham', '-', '', 16, 16, 'MALFORMED_HEADER'],
      ['udiff', '4', 'file_patch', 18, 22],
      ['replacer', '5', 'file_write', 24, null, 'truncated'],
    ])
    expect(checked.blocks[5].proposed).toBe(true)
    expect(checked.warnings).toEqual([])
  })

  it('tells which members of a group would be skipped', async () => {
    const cwd = scratchDir()
    const member = (path: string) => `<write path="${path}"><![CDATA[x]]></write>`
    const input = `<tasks>\n${member('a')}\n${member('')}\n${member('c')}\n</tasks>\n<tasks atomic="true">\n${member('d')}\n<write/>\n</tasks>\n`
    const { stdout } = await called(['check'], { cwd, input })
    expect(stdout.split('\n').filter((line) => /^\S|not executed/.test(line))).toEqual([
      '✓ line 2  cml 1  file_write a',
      '✗ line 3  cml 2  file_write',
      '– line 4  cml 3  file_write c',
      '    not executed: task 2 of its group is invalid',
      '– line 7  cml 4  file_write d',
      '    not executed: task 5 of its group is invalid',
      '✗ line 8  cml 5  file_write',
      '5 found, 2 with problems, 2 not executed.',
    ])
  })

  it('tells what it took for prose, and that there is nothing', async () => {
    const cwd = scratchDir()
    fill(cwd, { 'a.md': '<--- see there\n<write path="a"><![CDATA[x]]></write>\n', 'b.md': 'prose' })
    expect(await called(['check', 'a.md', 'b.md'], { cwd })).toMatchObject({
      status: 0,
      stdout:
        '--- a.md\n✓ line 2  cml 1  file_write a\n⚠ line 1: read as prose, although it starts like a CSL marker\n1 found, 0 with problems.\n--- b.md\nNo edits or commands found: the reply is only prose. If the model should change files, paste the text of clada prompt into the chat first.\n',
    })
  })
})
