import fs from 'node:fs'
import os from 'node:os'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { chooseSandbox } from '../../packages/clada/src/process/sandbox.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

interface Case {
  suite: string
  name: string
  kind: string
  input: string
  expected: { stdout?: string; stderr?: string; [field: string]: unknown }
  seed_conflict?: string
  not_binding?: string
}

const { cases } = JSON.parse(fs.readFileSync(new URL('./sham.json', import.meta.url), 'utf8')) as { cases: Case[] }
const binding = cases.filter((one) => one.kind === 'exec' && !one.seed_conflict && !one.not_binding)
const exec = chooseSandbox().ok ? 'sandbox' : 'unsandboxed'

/** Where the data can only say what sort of text comes, something must come. */
const placeholders: Readonly<Record<string, unknown>> = {
  '{HOME_VALUE}\n': `${os.homedir()}\n`,
  '{SYNTAX_ERROR_OUTPUT}': expect.stringMatching(/SyntaxError/),
  '{SYNTAX_ERROR_WITH_TRACEBACK}': expect.stringMatching(/SyntaxError/),
}

/** `\$` is no escape of the language; the harness these cases come from took the code out of the text by itself. */
function readable(input: string): string {
  const end = `${input.startsWith('#!SHAM') ? 'EOT_SHAM_' : 'EOT_'}${/: (\w+)\]/.exec(input)?.[1]}`
  const heredoc = (_: string, code: string): string => `code = <<'${end}'\n${code.replaceAll('\\"', '"')}\n${end}`
  return input.replace(/^code = "(.*\\\$.*)"$/m, heredoc)
}

describe('exec as earlier implementations had it', () => {
  for (const { suite, name, input, expected } of binding) {
    it(`${suite}: ${name}`, async (context) => {
      if (input.includes('lang = "python"')) skipWithout(context, 'python3')
      if (input.includes('lang = "bash"')) skipWithout(context, 'bash')
      if (name === 'Working directory check') skipWithout(context, 'posix')
      const dir = scratchDir()
      const { results, parseErrors } = await new Clada({ repoPath: dir, gitCommit: false, exec }).execute(
        readable(input).replaceAll('"/tmp"', `"${dir}"`),
      )
      expect(parseErrors).toEqual([])
      const { success, error, data } = results[0] ?? {}
      const wanted = Object.entries(expected).map(([field, value]) => {
        if (value === '/tmp\n') return [field, `${dir}\n`]
        return [field, typeof value === 'string' ? (placeholders[value] ?? value) : value]
      })
      expect({ success, error, ...(data as object) }).toMatchObject(Object.fromEntries(wanted))
    })
  }
})
