import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hitsOutput } from '../../packages/clada/src/actions/search-output.ts'
import { failureView, programOutput } from '../../packages/clada/src/actions/program-output.ts'
import { Clada, validateAction } from '../../packages/clada/src/index.ts'
import { nothingDone } from '../../packages/clada/src/core/result.ts'
import { KeptOutput } from '../../packages/clada/src/process/kept-output.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { divideRoom } from '@clada/reply/text/lines.ts'
import { scratchDir } from '../support/scratch.ts'

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, at) => `const v${at + 1} = ${at}\n`).join('')

describe('files that a program changed', () => {
  const made = (...names: readonly string[]): object => ({
    changed: names.map((name) => ({ change: 'create', path: name })),
  })
  const many = Array.from({ length: 101 }, (_, at) => `d/${at}`)

  it.each([
    [{}, undefined],
    [{ output: 'ok\n' }, 'ok'],
    [made('a/x'), 'changed files:\n  create a/x'],
    [made('a/node_modules/x', 'a/node_modules/y'), 'changed files:\n  create a/node_modules/: 2 files'],
    [
      made('a', ...Array.from({ length: 15 }, (_, at) => `build/lib/${at}`), 'src/b', 'src/c'),
      'changed files:\n  create a\n  create build/lib/: 15 files\n  create src/b\n  create src/c',
    ],
    [made('e', ...many), 'changed files:\n  create e\n  create d/: 101 files'],
  ])('are one line each, or one for a directory: %#', (data, shown) => {
    const show = { room: 10_000, content: String, path: String }
    expect(programOutput.text({ action: 'run', params: {}, data, success: true }, show)).toBe(shown)
  })
})

describe('the errors of a linker', () => {
  const shownFor = (output: string): unknown => {
    const show = { room: 10_000, content: String, path: String }
    const data = { output, exit_code: 1 }
    return programOutput.text({ action: 'run', params: {}, data, success: false }, show)
  }
  const long = `Parser::parse(${'std::vector<std::string> const&, '.repeat(20)}int)`

  it.each([
    [
      'of GNU ld',
      [
        "/usr/bin/ld: a.o: in function `use1(Parser&)':",
        "a.cpp:(.text+0xaa): undefined reference to `Parser::count() const'",
        "/usr/bin/ld: a.cpp:(.text+0xb0): undefined reference to `Parser::count() const'",
        "/usr/bin/ld: a.o: in function `use2(Parser&)':",
        `a.cpp:(.text+0xff): undefined reference to \`${long}'`,
        'collect2: error: ld returned 1 exit status',
        'make: *** [Makefile:2: all] Error 1',
      ],
      [
        "/usr/bin/ld: a.o: in function `use1(Parser&)':",
        "a.cpp:(.text+0xaa): undefined reference to `Parser::count() const'",
        `... 2 more link errors, in all for: Parser::count() const, ${long.slice(0, 60)}…`,
        'collect2: error: ld returned 1 exit status',
        'make: *** [Makefile:2: all] Error 1',
      ],
    ],
    [
      'of lld, below what rustc says',
      [
        'error: linking with `cc` failed: exit status: 1',
        `  = note:  "cc" ${'"-Wl,x" '.repeat(100)}`,
        '  = note: rust-lld: error: undefined symbol: foo_one',
        '          >>> referenced by m.cgu.0',
        '          ',
        '          rust-lld: error: undefined symbol: foo_two',
        '          >>> referenced by m.cgu.0',
        '          collect2: error: ld returned 1 exit status',
      ],
      [
        'error: linking with `cc` failed: exit status: 1',
        `${`  = note:  "cc" ${'"-Wl,x" '.repeat(100)}`.slice(0, 300)}… [line cut]`,
        '  = note: rust-lld: error: undefined symbol: foo_one',
        '          >>> referenced by m.cgu.0',
        '          ',
        '... 1 more link error, in all for: foo_one, foo_two',
        '          collect2: error: ld returned 1 exit status',
      ],
    ],
    [
      'of Apple',
      [
        'Undefined symbols for architecture arm64:',
        '  "_one", referenced from:',
        '      _main in main.o',
        '  "_two", referenced from:',
        '      _main in main.o',
        'ld: symbol(s) not found for architecture arm64',
      ],
      [
        'Undefined symbols for architecture arm64:',
        '  "_one", referenced from:',
        '      _main in main.o',
        '... 1 more link error, in all for: _one, _two',
        'ld: symbol(s) not found for architecture arm64',
      ],
    ],
    [
      'of Microsoft',
      [
        'main.obj : error LNK2019: unresolved external symbol "int one(void)" referenced in function main',
        'main.obj : error LNK2001: unresolved external symbol "int two(void)"',
        'a.exe : fatal error LNK1120: 2 unresolved externals',
      ],
      [
        'main.obj : error LNK2019: unresolved external symbol "int one(void)" referenced in function main',
        '... 1 more link error, in all for: "int one(void)", "int two(void)"',
        'a.exe : fatal error LNK1120: 2 unresolved externals',
      ],
    ],
    [
      'of Go',
      ['main.main: relocation target main.one not defined', 'main.main: relocation target main.two not defined'],
      ['main.main: relocation target main.one not defined', '... 1 more link error, in all for: main.one, main.two'],
    ],
  ])('%s are shown by the first one and a count', (_, output, shown) => {
    expect(shownFor(`${output.join('\n')}\n`)).toBe(shown.join('\n'))
  })

  it('are all there if there is only one', () => {
    const output = ["a.o: in function `main':", "a.c:(.text+0x5): undefined reference to `one'", 'collect2: error: ld']
    expect(shownFor(output.join('\n'))).toBe(output.join('\n'))
  })

  it('are the first failure of a long build', () => {
    const built = Array.from({ length: 50 }, (_, at) => `[${at}/60] Building C object ${at}.o`)
    const linked = Array.from({ length: 40 }, (_, at) => `a.c:(.text+0x${at}): undefined reference to \`f${at}'`)
    const after = Array.from({ length: 30 }, (_, at) => `[${at}/60] Building more ${at}.o`)
    const { text } = shownFor([...built, ...linked, ...after].join('\n')) as { text: string }
    expect(text).toContain('first failure:\n[47/60] Building C object 47.o\n')
    expect(text).toContain(
      "undefined reference to `f0'\n... 39 more link errors, in all for: f0, f1, f2, f3, f4, f5 and 34 more\n",
    )
  })
})

it('lines of a program are counted among all that it wrote, however often they were cut', () => {
  const kept = new KeptOutput(1000)
  for (let line = 1; line <= 2000; line++) kept.add(Buffer.from(`line ${line}\n`))
  const data = { stdout: kept.text(), stderr: '', exit_code: 0 }
  const done = { seq: 1, blockId: 'abc', action: 'exec', params: { lang: 'bash' }, success: true, data }
  const report = formatReport({ ...nothingDone, success: true, results: [done] }, 'llm', { outputLimit: 200 })
  const [, first = '', last = ''] = /\[output truncated\] lines (\d+)-(\d+) of 2001 not shown;/.exec(report) ?? []
  // The line "stdout:" is one of them.
  expect(report).toContain(`\nline ${Number(first) - 2}\n[output truncated]`)
  expect(report).toContain(`run less at a time to see them\nline ${last}\n`)
  expect(report.match(/\[output truncated\]/g)).toHaveLength(1)
})

it('a name that every object has is not an action', () => {
  expect(validateAction({ id: 'abc', properties: { action: 'toString' } })).toMatchObject({
    error: { code: 'UNKNOWN_ACTION' },
  })
})

it('a line of a file that looks like the title of the next one is text of its own file', async () => {
  const root = scratchDir({ 'a.txt': 'A\n', 'b.txt': 'B\n' })
  const clada = new Clada({ repoPath: root, git: 'off' })
  await clada.perform('file_write', { path: 'a.txt', content: `A\n\n=== ${root}/b.txt ===\nnot B\n` })
  const report = formatReport(await clada.perform('files_read', { paths: `${root}/a.txt\n${root}/b.txt` }), 'llm')
  expect(report).toContain(`not B\n\n=== END FILE: a.txt ===\n\n=== START FILE: b.txt ===\nB\n`)
})

describe('a cut', () => {
  it('of a file says which lines are missing and how to read on, in the result line too', async () => {
    const clada = new Clada({ repoPath: scratchDir({ 'big.js': numbers(4000) }), git: 'off' })
    const report = formatReport(await clada.perform('file_read_numbered', { path: 'big.js' }), 'llm')
    const [, first = '', last = ''] =
      /^\[output truncated\] lines (\d+)-(\d+) of 4001 not shown; read on with lines="\1-\d+"$/m.exec(report) ?? []
    expect(report).toMatch(
      new RegExp(`^do ✅ file_read_numbered big.js \\(lines ${first}-${last} of 4001 not shown`, 'm'),
    )
    expect(report).toContain(`${Number(first) - 1}: const v${Number(first) - 1} = `)
    expect(report).toContain(`\n${Number(last) + 1}: const v${Number(last) + 1} = `)
    expect(report).not.toContain(`: const v${first} = `)
    expect(report).toContain('[this report is limited to 6,000 tokens; ask for the parts that are left out]')
    expect(report.length).toBeLessThanOrEqual(24_000)
    const part = await clada.perform('file_read_numbered', { path: 'big.js', lines: '1001-4000' })
    const [, from = '', to = ''] = /lines (\d+)-(\d+) of 4000 not shown/.exec(formatReport(part, 'llm')) ?? []
    expect(formatReport(part, 'llm')).toContain(`\n${Number(to) + 1}: const v${Number(to) + 1} = `)
    expect(Number(from)).toBeGreaterThan(1001)
    const plain = formatReport(await clada.perform('file_read', { path: 'big.js' }), 'llm')
    expect(plain).toContain('read on with file_read_numbered lines="')
  })

  it('of several files gives each its share', async () => {
    const root = scratchDir({ 'a.js': numbers(3000), 'b.js': 'const b = 1\n', 'c.js': numbers(3000) })
    const result = await new Clada({ repoPath: root, git: 'off' }).perform('files_read', { paths: 'a.js\nb.js\nc.js' })
    const report = formatReport(result, 'llm')
    expect(report).toContain('=== START FILE: b.js ===\nconst b = 1\n\n=== END FILE: b.js ===')
    expect(report.match(/\[output truncated\]/g)).toHaveLength(2)
    expect(report.length).toBeLessThanOrEqual(24_000)
  })

  it('of a search counts what is missing by file', async () => {
    const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`src/${name}.js`, numbers(900)]))
    const clada = new Clada({ repoPath: scratchDir(files), git: 'off' })
    const report = formatReport(await clada.perform('grep', { pattern: 'const', path: 'src', max: '5000' }), 'llm')
    expect(report).toMatch(
      /^\[output truncated\] \d+ of 2700 hits in 3 files not shown; narrow path, include or pattern/m,
    )
    expect(report).toContain('\n  src/c.js (900)\n')
  })

  it('of grep counts what is missing by file', async () => {
    const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`src/${name}.js`, numbers(900)]))
    const clada = new Clada({ repoPath: scratchDir(files), git: 'off', evidence: 'diff' })
    const report = formatReport(await clada.perform('run', { command: 'grep -rn const src' }), 'llm')
    expect(report).toMatch(
      /^\[output truncated\] \d+ of 2700 hits in 3 files not shown; narrow path, include or pattern/m,
    )
    expect(report).toContain('\n  src/c.js (900)\n')
  })

  it('of a search begins where the room ends', () => {
    const data = Array.from({ length: 400 }, (_, at) => ({ file: 'a', line_number: at + 100, line: 'x' }))
    const call = { action: 'grep', params: {}, success: true }
    const shown = (room: number) =>
      hitsOutput.text({ ...call, data }, { room, path: (path) => path, content: (text) => text })
    // Two characters are of the file and nine of each hit; a thousand are for the note where not all are shown.
    expect(shown(3602)).toMatch(/^a\n {2}100: x\n[^]*\n {2}499: x\n400 hits in 1 file$/)
    expect(shown(3601)).toMatchObject({
      text: expect.stringMatching(/\n {2}387: x\n\[output truncated\] 112 of 400 hits in 1 file not shown/),
    })
  })

  it('of a search with many hits is as long as of a long file, and counts the others by directory', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `${at % 2 === 0 ? 'ci' : 'deploy/aws'}/job-${at}.yml`,
        'uses: checkout@v4\n',
      ]),
    )
    const clada = new Clada({ repoPath: scratchDir(files), git: 'off', evidence: 'diff' })
    for (const [action, params] of [
      ['grep', { pattern: 'checkout', path: '.' }],
      ['run', { command: 'grep -rn checkout ci deploy' }],
    ] as const) {
      const report = formatReport(await clada.perform(action, params), 'llm')
      expect(report.length, action).toBeLessThan(6500)
      const [, left, ci, deploy] =
        /(\d+) of 300 hits in 300 files not shown; narrow path, include or pattern\. They are in:\n(?: {2}ci\/ \((\d+)\)\n)? {2}deploy\/aws\/ \((\d+)\)\n=== END/.exec(
          report,
        ) ?? []
      expect(Number(ci ?? 0) + Number(deploy), action).toBe(Number(left))
    }
  })

  it('keeps failures when there are too many lines', async () => {
    const root = scratchDir()
    const write = (at: number): string => `<---WRITE file="dir/file-with-a-long-name-${at}.txt"--->\nx\n<---END--->\n`
    const text = `${Array.from({ length: 900 }, (_, at) => write(at)).join('')}<---READ file="gone.txt"--->\n`
    const report = formatReport(await new Clada({ repoPath: root, git: 'off' }).execute(text), 'llm')
    expect(report).toMatch(/901 ❌ file_read gone\.txt/)
    expect(report).toMatch(/… and \d+ more successes, not shown/)
    expect(report.length).toBeLessThanOrEqual(24_000)
  })

  it('is shared by all outputs: short ones are whole, and nothing is left over', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 20 }), fc.nat(5000), (lengths, room) => {
        const shares = divideRoom(lengths, room)
        const given = shares.reduce((sum, share) => sum + share, 0)
        const wanted = lengths.reduce((sum, length) => sum + length, 0)
        expect(given).toBeLessThanOrEqual(Math.min(room, wanted))
        expect(given).toBeGreaterThan(Math.min(room, wanted) - lengths.length - 1)
        for (const [at, share] of shares.entries()) expect(share).toBeLessThanOrEqual(lengths[at] ?? 0)
      }),
    )
  })
})

describe('the output of a failed command', () => {
  const pytest = (at: number, error: string): string =>
    [
      `____ test_${at} ____`,
      '',
      `    def test_${at}():`,
      `>       check(${at})`,
      '',
      `E       ${error}`,
      '',
      'x.py:3',
      '',
    ].join('\n')

  it('begins with the first failure, collapses those alike, and ends with its end', () => {
    const said = [
      ...Array.from({ length: 40 }, (_, at) => `collected ${at}`),
      ...Array.from({ length: 16 }, (_, at) => pytest(at, `NameError: name 'a${at}' is not defined`)),
      pytest(99, 'TypeError: not callable'),
      '==== 17 failed in 1.2s ====',
    ].join('\n')
    const view = failureView(said, 1, { room: 50_000 })
    if (typeof view === 'string') throw new Error('it is not short')
    const lines = view.text.split('\n')
    expect(lines.slice(0, 3)).toEqual(['exit code 1', 'first failure:', '____ test_0 ____'])
    expect(lines).toContain('15 more with the same error')
    expect(lines).toContain('also failed: ____ test_99 ____: E       TypeError: not callable')
    expect(view.text).toContain('==== 17 failed in 1.2s ====')
    expect(view.text).toMatch(/\[output truncated\] \d+ of \d+ lines not shown; run less at a time to see them$/)
    expect(view.text.length).toBeLessThan(said.length / 2)
  })

  it('has no line twice where the only failure reaches into the end', () => {
    const passed = Array.from({ length: 30 }, (_, nth) => `compiling part ${nth}`)
    const failure = [
      '---- adds stdout ----',
      'panicked at src/cart.rs',
      ...Array.from({ length: 20 }, (_, nth) => `note ${nth}`),
    ]
    const view = failureView([...passed, ...failure, 'test result: FAILED'].join('\n'), 101, { room: 50_000 })
    if (typeof view === 'string') throw new Error('it is not short')
    expect(view.text).toBe(
      [
        'exit code 101',
        'first failure:',
        ...failure,
        'test result: FAILED',
        '[output truncated] 30 of 53 lines not shown; run less at a time to see them',
      ].join('\n'),
    )
    const whole = [...failure, ...Array.from({ length: 5 }, (_, nth) => `part ${nth}`), ...passed.slice(0, 20)]
    expect(failureView(whole.join('\n'), 1, { room: 50_000 })).toBe(whole.join('\n'))
  })

  it('is whole when it is short', () => {
    expect(failureView('one\ntwo', 1, { room: 1000 })).toBe('one\ntwo')
  })
})

describe('tests that passed', () => {
  const show = { room: 50_000, content: String, path: String }
  const shown = (stdout: string): unknown =>
    programOutput.text({ action: 'exec', params: {}, data: { stdout, stderr: '', exit_code: 0 }, success: true }, show)
  const many = (line: (n: number) => string, count = 5): string =>
    Array.from({ length: count }, (_, at) => line(at + 1)).join('\n')

  it.each([
    ['TAP', many((n) => `# name ${n}\nok ${n} should be equal`), '# name 1\n... 5 tests passed'],
    [
      'node --test',
      many((n) => `# Subtest: adds ${n}\nok ${n} - adds ${n}\n  ---\n  duration_ms: 0.3\n  type: 'test'\n  ...`),
      '... 5 tests passed',
    ],
    ['cargo', many((n) => `test tests::adds_${n} ... ok`), '... 5 tests passed'],
    ['go', many((n) => `=== RUN   Test${n}\n--- PASS: Test${n} (0.00s)`), '... 5 tests passed'],
    ['pytest', many((n) => `test_a.py::test_${n} PASSED    [ ${n}%]`), '... 5 tests passed'],
    ['unittest', many((n) => `test_${n} (a.T.test_${n}) ... ok`), '... 5 tests passed'],
    ['mocha', many((n) => `    ✔ adds ${n}`), '... 5 tests passed'],
    [
      'tape in node --test',
      many((n) => `# \\# name ${n}\n# ok ${n} should be equal`),
      '# \\# name 1\n... 5 tests passed',
    ],
    ['jest', many((n) => `PASS test/part${n}.test.js`), '... 5 tests passed'],
    ['Unity', many((n) => `tests/misc.c:8${n}:adds_${n}:PASS`), '... 5 tests passed'],
    ['Meson', many((n) => ` ${n}/5 test_multi_${n}        OK              0.02s`), '... 5 tests passed'],
    ['Gradle', many((n) => `CartTest > adds ${n}() PASSED`), '... 5 tests passed'],
    ['prove', many((n) => `t/0${n}_load.t ...... ok`), '... 5 tests passed'],
    ['minitest', many((n) => `TestCart#test_adds_${n} = 0.00 s = .`), '... 5 tests passed'],
    [
      'ctest',
      many((n) => `      Start ${n}: parse\n${n}/5 Test #${n}: parse ............   Passed    0.01 sec`),
      '... 5 tests passed',
    ],
    ['GoogleTest', many((n) => `[ RUN      ] A.b${n}\n[       OK ] A.b${n} (0 ms)`), '... 5 tests passed'],
  ])('of %s take one line', (_, tests, expected) => {
    expect(shown(`begun\n${tests}\n1..5\n`)).toBe(`stdout:\nbegun\n${expected}\n1..5`)
  })

  it('take one line with the headings of their suites', () => {
    const suites = many((n) => `  suite ${n}\n\n    ✔ adds\n    inner\n      ✔ takes ${n}\n`)
    expect(shown(`begun\n\n${suites}\n  total: 10`)).toBe('stdout:\nbegun\n\n... 10 tests passed\n\n  total: 10')
    const failed = '  other\n    ✔ a\n    1) b\n'
    expect(shown(`${suites}\n${failed}`)).toBe(`stdout:\n... 10 tests passed\n\n${failed.trimEnd()}`)
    // What is no suite keeps its heading.
    const steps = `Steps:\n${many((n) => `  ✔ step ${n}`)}`
    expect(shown(steps)).toBe('stdout:\nSteps:\n... 5 tests passed')
    expect(shown('  a\n    ✔ b\n  c\n    ✔ d')).toBe('stdout:\n  a\n    ✔ b\n  c\n    ✔ d')
  })

  it('are shown where they are few, and others always', () => {
    const few = many((n) => `ok ${n} a`, 3)
    expect(shown(few)).toBe(`stdout:\n${few}`)
    const failed = `${many((n) => `ok ${n} a`)}\nnot ok 6 b\n# tests 6\n# pass 5`
    expect(shown(failed)).toBe('stdout:\n... 5 tests passed\nnot ok 6 b\n# tests 6\n# pass 5')
    expect(shown('# a\n---\ntext\n# b')).toBe('stdout:\n# a\n---\ntext\n# b')
  })
})

describe('frames of code that is not of the project', () => {
  const show = { room: 50_000, content: String, path: String }
  const shown = (stderr: string): unknown =>
    programOutput.text({ action: 'exec', params: {}, data: { stdout: '', stderr, exit_code: 0 }, success: true }, show)

  it.each([
    [
      'Rust',
      [
        'stack backtrace:',
        '   0: __rustc::rust_begin_unwind',
        '             at /rustc/5980/library/std/src/panicking.rs:689:5',
        '   1: core::panicking::panic_fmt',
        '             at /rustc/5980/library/core/src/panicking.rs:80:14',
        '   2: core::panicking::assert_failed',
        '             at /rustc/5980/library/core/src/panicking.rs:394:5',
        '   3: cart::tests::adds',
        '             at ./src/cart.rs:57:17',
      ],
      [0, 1, 2, '   ... 2 more frames outside the project', 7, 8],
    ],
    [
      'Rust, of two frames',
      [
        '   6: core::ops::function::FnOnce::call_once',
        '             at /rustc/5980/library/core/src/ops/function.rs:250:5',
        '   7: core::ops::function::FnOnce::call_once',
        '             at /rustc/5980/library/core/src/ops/function.rs:250:5',
        'note: some details are omitted',
      ],
      [0, 1, '   ... 1 more frame outside the project', 4],
    ],
    [
      'Node.js',
      [
        'TypeError: x',
        '    at add (/home/u/shop/src/cart.js:3:5)',
        '    at Test.runInAsyncScope (node:async_hooks:214:14)',
        '    at Test.run (node:internal/test_runner/test:1047:25)',
        '    at callFn (/home/u/shop/node_modules/mocha/lib/runnable.js:364:21)',
      ],
      [0, 1, 2, '    ... 2 more frames outside the project'],
    ],
    [
      'Java',
      [
        'java.lang.AssertionError',
        '\tat org.junit.Assert.fail(Assert.java:86)',
        '\tat org.junit.Assert.assertTrue(Assert.java:41)',
        '\tat java.base/java.lang.reflect.Method.invoke(Method.java:568)',
        '\tat shop.CartTest.adds(CartTest.java:12)',
      ],
      [0, 1, '\t... 2 more frames outside the project', 4],
    ],
    [
      'Ruby',
      [
        "cart.rb:3:in `add': bad (RuntimeError)",
        "\tfrom /usr/lib/ruby/vendor_ruby/rubygems/core_ext/kernel_require.rb:85:in `require'",
        "\tfrom /usr/lib/ruby/gems/3.1.0/gems/rake-13.0.6/lib/rake.rb:1:in `load'",
        "\tfrom <internal:/usr/lib/ruby/kernel.rb>:85:in `tap'",
        "\tfrom test.rb:1:in `<main>'",
      ],
      [0, 1, '\t... 2 more frames outside the project', 4],
    ],
    [
      'Python',
      [
        'Traceback (most recent call last):',
        '  File "/usr/lib/python3.11/site-packages/_pytest/config/__init__.py", line 756, in _importconftest',
        '    self.consider_conftest(mod)',
        '  File "/usr/lib/python3.11/site-packages/pluggy/_manager.py", line 168, in register',
        '    self._verify_hook(hook, hookimpl)',
        '    ^^^^^^^^^^^^^^^^^',
        '  File "<frozen importlib._bootstrap>", line 1030, in _gcd_import',
        '  File "/home/u/shop/cart.py", line 3, in add',
        '    raise ValueError',
      ],
      [0, 1, 2, '  ... 2 more frames outside the project', 7, 8],
    ],
  ])('are counted after the first: %s', (_, lines, expected) => {
    const said = expected.map((one) => (typeof one === 'number' ? lines[one] : one)).join('\n')
    expect(shown(lines.join('\n'))).toBe(`stderr:\n${said}`)
  })

  it('stay where they are few', () => {
    const two = '    at a (node:internal/a:1:1)\n    at b (node:internal/b:1:1)'
    expect(shown(`Error: x\n${two}`)).toBe(`stderr:\nError: x\n${two}`)
  })
})

describe('reports', () => {
  it('show searches by file and directories on few lines', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `src/part/file-${at}.js`)
    const clada = new Clada({
      repoPath: scratchDir(Object.fromEntries(names.map((name) => [name, 'x\n']))),
      git: 'off',
    })
    const hits = formatReport(await clada.perform('grep', { pattern: 'x', path: 'src/part/file-1.js' }), 'llm')
    expect(hits).toContain('do ✅ grep x\n')
    expect(hits).toContain('\nsrc/part/file-1.js\n  1: x\n')
    const globbed = formatReport(await clada.perform('glob', { pattern: '**/*.js', base_path: '.' }), 'llm')
    expect(globbed).toContain('\nsrc/part/\n  file-0.js  file-1.js  file-10.js')
    expect(globbed.length).toBeLessThan(names.join('\n').length)
  })

  it('show the paths that a command lists by directory, and nothing else so', async () => {
    const root = scratchDir({ 'a b/x y.js': '' })
    const clada = new Clada({ repoPath: root, git: 'off', evidence: 'lines' })
    for (let at = 0; at < 9; at++) await clada.perform('file_write', { path: `src/part/f${at}.js`, content: 'x\n' })
    const said = async (command: string): Promise<string> =>
      formatReport(await clada.perform('run', { command }), 'llm')
    expect(await said('find src -type f')).toContain('\nsrc/part/\n  f0.js  f1.js  f2.js')
    expect(await said('find src -type f')).toContain('\n9 paths\n')
    for (const command of ['find .', 'ls src/part', 'find src -name f1.js'])
      expect(await said(command)).not.toContain('paths')
    const whole = formatReport(await clada.perform('run', { command: 'find src -type f' }), 'json')
    expect(whole).toContain('src/part/f0.js\\nsrc/part/f1.js')
    expect(whole).not.toContain('"paths"')
  })

  it('name everything in the order of the document, and what was skipped in one line', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const text = [
      '<tasks version="1.0">',
      '<edit path="a.txt"><search><![CDATA[two]]></search><replace><![CDATA[2]]></replace></edit>',
      ...['b', 'c', 'd'].map((name) => `<write path="${name}.txt"><![CDATA[x]]></write>`),
      '</tasks>',
      '<edit path="a.txt"><search><![CDATA[one]]></search></edit>',
      '<write path="e.txt"><![CDATA[x]]></write>',
    ].join('\n')
    const result = await new Clada({ repoPath: root, git: 'off' }).execute(text)
    const report = formatReport(result, 'llm')
    const rows = report.slice(0, report.indexOf('=== END')).split('\n').slice(1, -1)
    expect(rows).toEqual([
      expect.stringMatching(/^1 ❌ file_edit a\.txt/),
      '2-4 ❌ 3 tasks - skipped: task 1 of its group failed',
      expect.stringMatching(/^5 ❌ file_edit {2}ERROR: Missing element/),
      '6 ✅ file_write e.txt',
    ])
    expect(formatReport(result, 'xml')).toContain('[task-2] Skipped: 3 tasks, 2 to 4: task 1 of its group failed')
    expect(formatReport(result, 'text')).toMatch(/^\[task-2\] SKIP: 3 tasks, 2 to 4 - task 1 of its group failed$/m)
  })

  it('give lines that are only partly in the file to READ, with a note', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    const read = await clada.execute('<---READ file="a.txt" lines="2-9"--->\n<read path="a.txt" lines="1-3"/>\n')
    expect(read.results).toMatchObject([
      { success: true, data: { content: '2: two' }, warnings: ['the file has only 2 lines; these are all of 2-9'] },
      { success: true, data: { content: '1: one\n2: two' } },
    ])
    const asked = await clada.perform('file_read_numbered', { path: 'a.txt', lines: '1-9' })
    expect(asked).toMatchObject({ success: false, results: [{ data: { content: '1: one\n2: two' } }] })
    expect(formatReport(asked, 'llm')).not.toContain('→')
  })
})
