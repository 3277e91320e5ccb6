import { expect, it } from 'vitest'
import { type CladaOptions, createClada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const reply =
  '#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "a.txt"\ncontent = "x"\n#!END_SHAM_abc\n'

/** As a program in JavaScript passes them. */
const untyped = (values: Readonly<Record<string, unknown>>): CladaOptions => Object.assign({}, values)

it.each<[string, unknown, string]>([
  ['exec', false, 'one of sandbox, unsandboxed, off; it is a boolean'],
  ['exec', 'none', "one of sandbox, unsandboxed, off; it is 'none'"],
  ['exec', null, 'one of sandbox, unsandboxed, off; it is null'],
  ['git', false, 'one of commit, shadow, off; it is a boolean'],
  ['allowEscape', 'no', "true or false; it is 'no'"],
  ['trustApprovals', 'no', "true or false; it is 'no'"],
  ['symlinks', true, 'one of refuse, inside; it is a boolean'],
  ['proposals', 'no', "one of ask, apply, off; it is 'no'"],
  ['allowedActions', 'file_read', "a list, each entry a text; it is 'file_read'"],
  ['deniedPatterns', 'secrets', "a list, each entry a text; it is 'secrets'"],
  ['allowedRoots', [5], 'a list, each entry a text; it is a list'],
  ['limits', { fileBytes: Number.NaN }, 'an object, each value a number that is not negative; it is an object'],
  ['totalTimeout', Number.NaN, 'a number that is not negative; it is NaN'],
  ['maxOutput', -1, 'a number that is not negative; it is -1'],
  ['ask', 'yes', "a function; it is 'yes'"],
  ['hooks', { before: 'make' }, 'an object, each value a list; it is an object'],
  ['encoding', { '*': 'rot13' }, 'an object, each value one of utf-8, '],
])('refuses %s = %j before anything is done', async (name, value, expected) => {
  const root = scratchDir()
  const clada = createClada(untyped({ repoPath: root, relativePaths: true, [name]: value }))
  const { success, fatalCode, fatalError } = await clada.execute(reply)
  expect({ success, fatalCode }).toEqual({ success: false, fatalCode: 'invalid_parameter' })
  expect(fatalError).toContain(`The option ${name} must be ${expected}`)
  expect(filesIn(root)).toEqual({})
  await expect(clada.prompt()).rejects.toThrow(`The option ${name} must be`)
})

it.each([
  ['alowedActions', ["Unknown option 'alowedActions'. Did you mean allowedActions?"]],
  ['readOnly', ["Unknown option 'readOnly'."]],
  ['root', ["Unknown option 'root'. Did you mean repoPath?"]],
])('refuses the option %s, which does not exist', async (name, [message]) => {
  const root = scratchDir()
  const { fatalError } = await createClada(untyped({ repoPath: root, relativePaths: true, [name]: [] })).execute(reply)
  expect(fatalError).toBe(message)
  expect(filesIn(root)).toEqual({})
})

it('refuses options that are no object, and takes those that are undefined', async () => {
  for (const none of [null, 'root', 5]) {
    const given: [CladaOptions] = [{}]
    Reflect.set(given, 0, none)
    expect(await createClada(...given).execute(reply)).toMatchObject({ success: false, fatalCode: 'invalid_parameter' })
  }
  const root = scratchDir()
  const options = untyped({ repoPath: root, relativePaths: true, git: 'off', exec: undefined, ask: undefined })
  expect((await createClada(options).execute(reply)).success).toBe(true)
})

it.each([
  [{ dryRun: true }, "Unknown option of an execution 'dryRun'. Use preview() to see the changes without making them."],
  [{ onActions: () => 1 }, "Unknown option of an execution 'onActions'. Did you mean onAction?"],
  [{ timelimit: 5 }, "Unknown option of an execution 'timelimit'. Did you mean timeLimit?"],
])('refuses an option of an execution that does not exist: %j', async (unknown: object, message) => {
  const root = scratchDir()
  const { fatalCode, fatalError } = await createClada({ repoPath: root, relativePaths: true }).execute(reply, unknown)
  expect({ fatalCode, fatalError }).toEqual({ fatalCode: 'invalid_parameter', fatalError: message })
  expect(filesIn(root)).toEqual({})
})
