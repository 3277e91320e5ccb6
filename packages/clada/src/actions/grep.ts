import { defaulting, defineAction, fail, flag, integer, ok, optional, path, rare, text } from '../core/action.ts'
import { neverMatches, patternBelow } from './glob.ts'
import { hitsOutput } from './search-output.ts'

export const grep = defineAction({
  name: 'grep',
  title: 'Search text',
  description: 'Search files for a text, or for a regular expression. Skips what .gitignore names.',
  effect: 'read',
  primary: 'pattern',
  display: 'always',
  output: hitsOutput,
  everyday: true,
  params: {
    pattern: text('What to search for.'),
    path: path('Directory or file to search.'),
    include: optional(text('Only files that match this glob, such as `*.ts`.')),
    regex: defaulting(flag('Read the pattern as a regular expression.'), false),
    ignore_case: defaulting(flag('Take capitals and small letters for the same.'), false),
    max: rare(defaulting(integer('How many hits at most.'), 1000)),
  },
  returns: [{ file: 'string', line_number: 'integer', line: 'string' }],
  examples: [
    {
      title: 'takes the pattern literally',
      before: { 'a.js': 'f(x)\nf.x\n', 'b/c.js': '  f(x)\n' },
      params: { pattern: 'f(x)', path: '.' },
      data: [
        { file: 'ROOT/a.js', line_number: 1, line: 'f(x)' },
        { file: 'ROOT/b/c.js', line_number: 1, line: '  f(x)' },
      ],
    },
    {
      title: 'searches by regular expression in some files',
      before: { 'a.js': 'one\n', 'a.ts': 'One\n' },
      params: { pattern: '^o.e$', path: '.', include: '*.ts', regex: 'true', ignore_case: 'true' },
      data: [{ file: 'ROOT/a.ts', line_number: 1, line: 'One' }],
    },
    {
      title: 'says what is wrong with an expression',
      before: { 'a.js': '' },
      params: { pattern: '(', path: '.', regex: 'true' },
      code: 'invalid_parameter',
    },
  ],
  async run({ pattern, path, include, regex, ignore_case, max }, { files }) {
    if (pattern === '') return fail({ kind: 'empty-text', param: 'pattern' })
    if (!regex && /[\r\n]/.test(pattern)) {
      return fail({
        kind: 'bad-param',
        param: 'pattern',
        message: 'it contains a line break; grep searches line by line',
      })
    }
    if (max < 1) return fail({ kind: 'bad-param', param: 'max', message: `it must be at least 1, not ${max}` })
    const below = include === undefined ? undefined : patternBelow(include, path)
    // One that begins with / is meant from the directory on.
    const never = neverMatches(below?.replace(/^\//, '') ?? '')
    if (never !== undefined) return fail({ kind: 'bad-param', param: 'include', message: never })
    const { hits, more } = await files.search({
      base: path,
      patterns: [pattern],
      include: below === undefined ? [] : [below],
      regex,
      ignoreCase: ignore_case,
      max,
    })
    return ok(hits, more ? [`there are more than ${max} hits; narrow the search or raise max`] : [])
  },
})
