import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allActions, registry } from '../../packages/clada/src/actions/registry.ts'
import { Source } from '@clada/reply/core/source.ts'
import type { CladaOptions } from '../../packages/clada/src/index.ts'
import { projectPrompt } from '../../packages/clada/src/api/project-prompt.ts'
import { promptEnd, promptOpenings } from '@clada/reply/core/report-frames.ts'
import {
  foreignFormats,
  promptFor,
  type PromptOptions,
  withFiles,
  withSection,
} from '../../packages/clada/src/describe/prompt.ts'
import { promptNames, syntaxNames, taughtNames, type TaughtName } from '@clada/reply/syntax/table.ts'
import { exampleFiles } from '../../packages/clada/src/describe/lesson.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { resultFormat } from '../../packages/clada/src/cli/options.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { BlockStream } from '@clada/reply/syntax/stream-blocks.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const actions = allActions()

const at = (root: string, options: Partial<PromptOptions> = {}) => promptFor({ specs: actions, root, ...options })
const everyday = actions.filter((spec) => spec.everyday)

/** What an action is called where the text speaks of one: between backticks, or with a name that is no plain word. */
const namedIn = (text: string): string[] => {
  const words = [...text.matchAll(/`([a-z_]+)[(`]|\b([a-z]+(?:_[a-z]+)+)\b/g)].map(
    ([, ticked, plain]) => ticked ?? plain,
  )
  return [...new Set(words)].flatMap((word) => registry.get(word ?? '')?.name ?? [])
}

describe.each(taughtNames)('the prompt for %s', (syntax) => {
  it('reads well', async () => {
    const { text } = at('/home/ada/shop', {
      syntax,
      token: 'q7k2m9xb',
      rules: ['Two spaces, no tabs.', 'Ask before you add a dependency.'],
    })
    await expect(text).toMatchFileSnapshot(`snapshots/prompt-${syntax}.md.snap`)
  })

  it(`is at most ${most[syntax].toLocaleString('en')} tokens long, without the task, the map and what is approved`, () => {
    const { text, tokens } = at('/home/ada/projects/shop', { syntax, token: 'q7k2m9xb' })
    expect(tokens).toBe(Math.ceil(text.length / 4))
    expect(tokens).toBeLessThanOrEqual(most[syntax])
  })

  it('says how long code may run, and that replies are committed, where that is so', () => {
    const { text } = at('/p', { syntax, timeLimit: 30, commits: true })
    expect(text.includes('Run tests with `exec`: at once, no network, up to 30 s.')).toBe(syntax !== 'replacer')
    expect(text.includes('`git diff HEAD~1` shows it')).toBe(syntax !== 'replacer')
    expect(at('/p', { syntax }).text).not.toContain('HEAD~1')
  })

  it('has the words of what is approved, the map and the task after everything else', () => {
    const more = { approved: ['npm test', 'pytest *'], map: 'src/  a.js', task: 'Fix it.' }
    const { text } = at('/p', { syntax, ...more })
    const commands = 'Approved, by these words (* is any arguments): `npm test`, `pytest *`.'
    expect(text.includes(commands)).toBe(syntax !== 'replacer')
    expect(
      text.endsWith(`## The project\n\n\`\`\`\`\nsrc/  a.js\n\`\`\`\`\n\n## The task\n\nFix it.\n\n${promptEnd}\n`),
    ).toBe(true)
  })

  it('has two examples, which work', async () => {
    const root = scratchDir(exampleFiles)
    const { text } = at(root, { syntax, token: 'q7k2m9xb' })
    // Carried out as it stands: so nothing but the examples is a block, not even a broken one.
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(unframed(text))
    expect(result).toMatchObject({ success: true, parseErrors: [] })
    expect(result.warnings).toBeUndefined()
    expect(result.results.map(({ warnings }) => warnings)).toEqual(result.results.map(() => undefined))
    expect(result.results.map(({ action }) => action)).toEqual(examplesIn[syntax])
    const greet = "export function greet(name) {\n  const who = name || 'you'\n  return `Hello, ${who}!`\n}\n"
    expect(filesIn(root)).toEqual({
      'src/greet.js': syntax === 'replacer' ? greet : `// TODO: be polite\n${greet}`,
      'docs/greet.md': '# greet\n\nWithout a name it greets "you".\n',
    })
    expect(text.match(/You answer:/g)).toHaveLength(2)
  })

  it('describes the report in each form in which it comes', async () => {
    const root = scratchDir()
    const { text } = at(root, { syntax })
    // The files of the examples are missing, so one of them fails.
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(unframed(text))
    expect(result.success).toBe(false)
    for (const form of ['llm', resultFormat(result)] as const) {
      const marks = formatReport(result, form).match(/^=== [A-Z ]+ ===$|\[task-(?=\d+\])|<result\b/gm) ?? []
      expect(marks.length).toBeGreaterThan(1)
      for (const mark of new Set(marks)) if (mark !== '=== END ===') expect(text).toContain(mark)
    }
  })

  it('never carries the line that makes a reply run at once', () => {
    const lines = at('/p', { syntax, token: 'q7k2m9xb' }).text.split('\n')
    expect(lines.filter((line) => line.includes('`clada:` directly followed by `q7k2m9xb`'))).toHaveLength(1)
    expect(lines.join('\n')).not.toContain('clada:q7k2m9xb')
    expect(at('/p', { syntax }).text).not.toContain('clada:')
  })

  it.each(['everyday', 'all'] as const)('names only actions that are allowed (%s)', (include) => {
    fc.assert(
      fc.property(fc.subarray(actions.map(({ name }) => name)), (allowedActions) => {
        const { text, actions: taught } = at('/p', { syntax, allowedActions, include })
        expect(allowedActions).toEqual(expect.arrayContaining([...namedIn(text)]))
        expect(allowedActions).toEqual(expect.arrayContaining([...taught]))
        const { blocks } = findBlocks(new Source(unframed(text)))
        expect(allowedActions).toEqual(expect.arrayContaining(blocks.map(({ action }) => action)))
      }),
      { numRuns: 40 },
    )
  })

  it('shows calls that the definitions know', () => {
    const { text, actions: taught } = at('/p', { syntax })
    const forms = formsIn(text)
    expect(forms).toHaveLength(taught.length)
    forms.forEach((form, index) => checkForm(form, taught[index] ?? '', syntax))
  })

  it('keeps to a budget, and says what that costs', () => {
    const whole = at('/p', { syntax, include: 'all' })
    expect(whole.dropped).toEqual([])
    for (let budget = whole.tokens; budget > 300; budget -= 97) {
      const { tokens, dropped, actions: taught, text } = at('/p', { syntax, include: 'all', budget })
      expect(tokens <= budget || taught.length === 0).toBe(true)
      const gone = dropped.filter((name) => registry.has(name))
      expect([...taught, ...gone].sort()).toEqual([...whole.actions].sort())
      expect(namedIn(text).filter((name) => gone.includes(name) && !exampleNames(text).includes(name))).toEqual([])
      // What is rare goes first.
      const rareLeft = taught.some((name) => !registry.get(name)?.everyday)
      expect(rareLeft && gone.some((name) => registry.get(name)?.everyday)).toBe(false)
    }
  })
})

const most: Record<TaughtName, number> = { sham: 1400, csl: 1000, cml: 1000, replacer: 1000 }

const examplesIn: Record<TaughtName, string[]> = {
  sham: ['file_edit', 'file_write', 'grep'],
  csl: ['file_edit', 'file_write', 'run'],
  cml: ['file_edit', 'file_write', 'run'],
  replacer: ['file_replace_text', 'file_write', 'file_replace_text'],
}

const exampleNames = (text: string): string[] =>
  findBlocks(new Source(unframed(text))).blocks.map(({ action }) => action)

/** The calls of the list of actions, one each. */
function formsIn(text: string): string[] {
  const [, list = ''] = /\n## Actions\n\n.*\n\n((?:- .*\n)+)/.exec(text) ?? []
  return list
    .trimEnd()
    .split('\n')
    .map((line) => /^- `(.*?)` [A-Z]/.exec(line)?.[1] ?? /^- [A-Z].*?: `(.*)`$/.exec(line)?.[1] ?? line)
}

function checkForm(form: string, name: string, syntax: TaughtName): void {
  const spec = registry.get(name)
  if (spec === undefined) throw new Error(`${name} is no action`)
  if (syntax === 'sham') {
    const [, spelled, list = ''] = /^(\w+)\((.*)\)$/.exec(form) ?? []
    expect(spelled).toBe(name)
    const shown = list === '' ? [] : list.split(', ')
    const required = shown.filter((param) => /^\w+$/.test(param))
    expect(required).toEqual(Object.keys(spec.params).filter((param) => spec.params[param]?.required))
    for (const param of shown) {
      const [, key = '', mark, value] = /^(\w+)(\?|=(.*))?$/.exec(param) ?? []
      expect(spec.params[key], `${name} ${param}`).toBeDefined()
      if (mark !== undefined)
        expect(spec.params[key]?.default).toEqual(value === undefined ? undefined : JSON.parse(value))
    }
    return
  }
  const { blocks, diagnostics } = findBlocks(new Source(form.split(' ⏎ ').join('\n')))
  expect(diagnostics).toEqual([])
  expect(blocks).toMatchObject([{ action: name, diagnostics: [] }])
  const given = Object.keys(blocks[0]?.params ?? {})
  expect(Object.keys(spec.params)).toEqual(expect.arrayContaining(given))
  expect(given).toEqual(
    expect.arrayContaining(Object.keys(spec.params).filter((param) => spec.params[param]?.required)),
  )
}

describe('what is taught', () => {
  it('is what is marked for every day, as far as the syntax has words for it', () => {
    const covered = everyday.filter(({ within }) => within === undefined)
    expect(at('/p').actions).toEqual(covered.map(({ name }) => name))
    expect(at('/p', { syntax: 'csl' }).actions).toEqual([
      'file_write',
      'file_edit',
      'file_replace_text_range',
      'file_read',
      'file_read_numbered',
      'exec',
      'run',
    ])
    expect(at('/p', { syntax: 'cml' }).actions).toEqual(at('/p', { syntax: 'csl' }).actions)
    expect(at('/p', { syntax: 'replacer' }).actions).toEqual(['file_write', 'file_replace_text'])
  })

  it('is everything that a model may call, when asked', () => {
    const callable = actions.filter(({ access }) => access.includes('llm')).map(({ name }) => name)
    expect(at('/p', { include: 'all' }).actions).toEqual(callable)
    expect(at('/p', { include: 'all', exec: 'off' }).actions).toEqual(callable.filter((name) => name !== 'exec'))
  })

  it('follows the delimiters of CSL', async () => {
    const root = scratchDir(exampleFiles)
    const cslDelimiters = { start: '[[', end: ']]' }
    const { text, actions: taught } = at(root, { syntax: 'csl', cslDelimiters })
    expect(text).not.toContain('<---')
    expect(taught).toContain('file_write')
    const result = await new Clada({ repoPath: root, gitCommit: false, cslDelimiters }).execute(unframed(text))
    expect(result).toMatchObject({ success: true, executedActions: 3, parseErrors: [] })
  })

  it('follows where paths may be relative', async () => {
    const root = scratchDir(exampleFiles)
    const { text } = at(root, { relativePaths: true })
    expect(text).toContain('path = "src/greet.js"')
    const result = await new Clada({ repoPath: root, gitCommit: false, relativePaths: true }).execute(unframed(text))
    expect(result).toMatchObject({ success: true, executedActions: 3 })
  })

  it('is where the project allows it', () => {
    expect(at('/p').text).toContain('The project is `/p`. Every path is absolute and inside it.')
    expect(at('/p', { allowedRoots: ['/q'] }).text).toContain('Every path is absolute and inside it, or in `/q`.')
    expect(at('/p', { syntax: 'cml', allowedRoots: ['/q', '/r'] }).text).toContain(
      'Paths are relative to it, or absolute and in `/q`, `/r`.',
    )
  })

  it('says how to change files only to those who can', () => {
    expect(at('/p', { allowedActions: ['file_read', 'grep'] }).text).not.toMatch(/Changing files|old text/)
    const { text } = at('/p', { allowedActions: ['file_read', 'file_write'] })
    expect(text).toContain('## Changing files')
    expect(text).not.toContain('old text')
  })

  it('is what is rare, where the project allows nothing else', () => {
    expect(at('/p', { allowedActions: ['file_create'] }).actions).toEqual(['file_create'])
  })

  it('is the truth about heredocs and quotes', async () => {
    const root = scratchDir()
    const { text } = at(root)
    expect(text).toContain('leave an empty line before the delimiter')
    const reply = [
      '````',
      '#!SHAM [@three-char-SHA-256: z9]',
      'action = "file_write"',
      `path = "${root}/a.md"`,
      "content = <<'EOT_SHAM_z9'",
      '"quotes" \\n and ```fences``` stay',
      '#!SHAM [@three-char-SHA-256: no]',
      '',
      'EOT_SHAM_z9',
      '#!END_SHAM_z9',
      '````',
      '#!SHAM [@three-char-SHA-256: abcdefg8]',
      'action="file_append"',
      `path="${root}/a.md"`,
      'content="\\"one\\" \\\\ line"',
      '#!END_SHAM_abcdefg8',
    ].join('\n')
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(reply)
    expect(result).toMatchObject({ success: true, executedActions: 2, parseErrors: [] })
    expect(fs.readFileSync(path.join(root, 'a.md'), 'utf8')).toBe(
      '"quotes" \\n and ```fences``` stay\n#!SHAM [@three-char-SHA-256: no]\n"one" \\ line',
    )
  })
})

/** The text that is no prompt any more, because the sentence is missing by which one is known. */
const unframed = (text: string): string =>
  Object.values(promptOpenings).reduce((rest, opening) => rest.replace(opening, ''), text)

describe.each(promptNames)('a prompt for %s that is taken for a reply', (syntax) => {
  const { text } = projectPrompt(
    { repoPath: import.meta.dirname, syntaxes: [syntax] },
    { rules: ['One.'], token: 'q7k2m9xb' },
  )
  const reply = 'I will do so.\n\n<---WRITE file="a.txt"--->\nx\n<---END--->\n'
  const written = [{ syntax: 'csl', params: { path: 'a.txt', content: 'x' } }]

  it.each([
    ['as it is', text],
    [
      'with every action',
      projectPrompt({ repoPath: import.meta.dirname, syntaxes: [syntax] }, { include: 'all' }).text,
    ],
    [
      'with a task and files',
      withFiles(withSection(text, '## The task\n\nFix it.'), '=== START FILE: a ===\nA\n=== END FILE: a ==='),
    ],
    ['with CRLF', text.replaceAll('\n', '\r\n')],
    ['quoted', text.replace(/^/gm, '> ')],
    ['copied from a page', text.replace(/^(?:# |## |````|- )/gm, '')],
    ['cut off', text.slice(0, text.lastIndexOf('The report'))],
    ['after a greeting', `Hello,\n\n${text}`],
  ])('runs nothing: %s', (_, prompt) => {
    const { blocks, diagnostics, notExecuted } = findBlocks(new Source(prompt))
    expect(blocks).toEqual([])
    expect(diagnostics).toEqual([])
    expect(new Set(notExecuted.map(({ reason }) => reason))).toEqual(new Set(['quoted']))
  })

  it('runs the reply below it', () => {
    expect(findBlocks(new Source(text + reply)).blocks).toMatchObject(written)
    const stream = new BlockStream({})
    const early = [...text].flatMap((letter) => stream.push(letter).blocks)
    expect([...early, ...stream.push(reply).blocks, ...stream.end().blocks]).toMatchObject(written)
  })

  it('is content of a block', () => {
    const block = `<---WRITE file="prompt.md"--->\n${text}<---END--->\n`
    // Inside CSL its own markers would end the block.
    if (syntax !== 'csl')
      expect(findBlocks(new Source(block)).blocks).toMatchObject([{ params: { path: 'prompt.md' } }])
  })
})

describe('rules and files', () => {
  it('stand at the end, and only where there are any', () => {
    const bare = at('/p').text
    expect(bare).not.toContain('## Rules')
    const { text } = at('/p', { rules: ['One.', 'Two,\nin two lines.'] })
    const end = `${promptEnd}\n`
    const body = text.slice(0, -end.length)
    expect(text).toBe(bare.replace(end, `## Rules of this project\n\n- One.\n- Two,\n  in two lines.\n\n${end}`))
    expect(withFiles(text, '')).toBe(text)
    expect(withFiles(text, '=== /p/a ===\nA')).toBe(`${body}## Files as they are now\n\n=== /p/a ===\nA\n\n${end}`)
  })
})

describe('formats of other tools', () => {
  it('are listed with those that are taught', () => {
    expect([...promptNames].sort()).toEqual([...taughtNames, ...Object.keys(foreignFormats)].sort())
  })

  it.each(Object.keys(foreignFormats))('have a short prompt whose example works (%s)', async (name) => {
    const root = scratchDir(exampleFiles)
    const syntax = syntaxNames.find((one) => one === name)
    const { text, tokens } = projectPrompt({ repoPath: root, syntaxes: syntax === undefined ? [] : [syntax] })
    expect(tokens).toBeLessThan(400)
    const result = await new Clada({ repoPath: root, gitCommit: false }).execute(unframed(text))
    expect(result).toMatchObject({ success: true, executedActions: 1 })
    expect(fs.readFileSync(path.join(root, 'src/greet.js'), 'utf8')).toContain("(name || 'you')")
  })
})

it('a prompt teaches the first syntax of the project that can be taught', () => {
  const root = scratchDir()
  const taught = (...syntaxes: NonNullable<CladaOptions['syntaxes']>): string => {
    const { text } = projectPrompt({ repoPath: root, syntaxes })
    return ['#!SHAM', '<---', '<<<<<<< SEARCH'].find((mark) => text.includes(mark)) ?? ''
  }
  expect(taught('csl')).toBe('<---')
  expect(taught('search-replace', 'csl')).toBe('<---')
  expect(taught('search-replace')).toBe('<<<<<<< SEARCH')
  expect(projectPrompt({ repoPath: root }).text).toContain('#!SHAM')
})
