import { describe, expect, it } from 'vitest'
import { createClada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const files = { 'src/my_file.py': 'one = 1\ntwo = 2\n', 'src/other.py': 'three = 3\n' }

async function apply(reply: string) {
  const root = scratchDir(files)
  const clada = createClada({ repoPath: root, git: 'off', proposals: 'apply' })
  const { success, results, parseErrors, notExecuted = [] } = await clada.execute(reply)
  return {
    success,
    done: results.map(({ params, success }) => [params['path'], success]),
    errors: parseErrors.map(({ line, message }) => [line, message]),
    listed: notExecuted.map(({ line, what, reason }) => [line, what, reason]),
    changed: Object.entries(filesIn(root)).filter(([name, text]) => files[name as keyof typeof files] !== text),
  }
}

const search = (file: string, before: string, after: string): string =>
  `${file}\n\`\`\`python\n<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE\n\`\`\`\n\n`

describe('a reply that was copied', () => {
  it('with carriage returns alone is read as with line feeds', async () => {
    const reply = `${search('src/my_file.py', 'one = 1', 'one = 10')}\`src/other.py\`:\n\n\`\`\`python\nthree = 30\n\`\`\`\n`
    expect(await apply(reply.replaceAll('\n', '\r'))).toEqual({
      success: true,
      done: [
        ['src/my_file.py', true],
        ['src/other.py', true],
      ],
      errors: [],
      listed: [],
      changed: [
        ['src/my_file.py', 'one = 10\ntwo = 2\n'],
        ['src/other.py', 'three = 30\n'],
      ],
    })
  })

  it('with carriage returns alone is read so from a pipe too', async () => {
    const root = scratchDir(files)
    async function* pieces() {
      yield* (
        search('src/my_file.py', 'one = 1', 'one = 10')
          .replaceAll('\n', '\r')
          .match(/[^]{1,9}/g) ?? []
      )
    }
    const { success } = await createClada({ repoPath: root, git: 'off' }).executeStream(pieces())
    expect({ success, ...filesIn(root) }).toEqual({ success: true, ...files, 'src/my_file.py': 'one = 10\ntwo = 2\n' })
  })

  it('with backslashes of Markdown in a path writes none of them into a file', async () => {
    const reply =
      search('src/my\\_file.py', 'one = 1', 'one = 2 \\* 5') + search('src/other.py', 'three = 3', 'the\\_three = 3')
    const { success, changed, errors } = await apply(reply)
    const words = 'the markers of this block have backslashes of markdown, and so do the parameters'
    expect({ success, changed, errors }).toEqual({
      success: false,
      changed: [['src/other.py', 'the_three = 3\n']],
      errors: [[1, `The text was damaged in transit: ${words} path, patch`]],
    })
  })

  it('with backslashes that are meant is written as it is', async () => {
    const reply = search('src/my_file.py', 'one = 1', "one = re.compile('\\_\\*')")
    expect((await apply(reply)).changed).toEqual([['src/my_file.py', "one = re.compile('\\_\\*')\ntwo = 2\n"]])
  })

  it.each([
    '{“name”: “str_replace_editor”, “arguments”: {“path”: “src/other.py”, “new_str”: “4”}}',
    '{&quot;name&quot;: &quot;str_replace_editor&quot;, &quot;arguments&quot;: {&quot;path&quot;: &quot;a.py&quot;}}',
    '&lt;file path="src/other.py"&gt;\nthree = 4\n&lt;/file&gt;',
    '\\<file path="src/other.py"\\>\nthree = 4\n\\</file\\>',
    '<file path=“src/other.py”>\nthree = 4\n</file>',
  ])('with damage around a file says that it is not read: %s', async (reply) => {
    const { success, listed, changed } = await apply(`${reply}\n`)
    expect({ success, listed: listed.map(([line, , reason]) => [line, reason]), changed }).toEqual({
      success: false,
      listed: [[1, 'unreadable']],
      changed: [],
    })
  })
})
