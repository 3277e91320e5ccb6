import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { chooseSandbox } from '../../packages/clada/src/process/sandbox.ts'
import { listening, ownIn, ran, sectionIn } from '../listener/world.ts'
import { skipWithout } from '../support/needs.ts'

interface Case {
  suite: string
  name: string
  kind: string
  initial?: string
  input: string
  config_yaml?: string
  expected: { prepended?: string; output: string }
}

const { cases } = JSON.parse(fs.readFileSync(new URL('./listener.json', import.meta.url), 'utf8')) as { cases: Case[] }
const exec = chooseSandbox().ok ? 'sandbox' : 'unsandboxed'

/** Hooks and the clipboard have tests of their own. */
const binding = cases.filter(
  ({ kind, config_yaml = '' }) => (kind === 'listener' || kind === 'entry') && !config_yaml.includes('hooks:'),
)

/** The renamed fork had its own name in the markers; and the older one noted a clipboard that nobody asked for here. */
const ours = (text: string): string =>
  text.replaceAll('SLUPE RESULTS', 'CLADA RESULTS').replace(/^📋 Copied to clipboard\n\n/, '')

/**
 * Where we differ, on purpose. What an edit that failed needs stands under REPAIR, with the nearest places, instead of
 * the whole file; and a file that was read stands under the block that read it, as it was then, not under its path.
 */
const showsWholeFiles = ({ expected }: Case): boolean => /^\[[^\]]*[✅❌]/mu.test(expected.output)

/** A heredoc that lacks its quotes is one mistake, not one more for each of its lines. */
const oneMistake = (text: string): string =>
  text.replace(/ERROR: 3 syntax errors (\(line 25\))\n +- (Value must be .*)\n.*\(2 occurrences\)/, 'ERROR: $2 $1')

/** Outputs name files relative to the project. */
const relative = (text: string, dir: string): string => {
  const at = text.indexOf('=== OUTPUTS ===')
  return text.slice(0, at) + text.slice(at).replaceAll(`${dir}/`, '')
}

/** A section without content is left out. */
const filled = (text: string): string => text.replace('\n\n=== OUTPUTS ===\n=== END ===', '')

const summaryOf = (output: string): string => output.slice(0, output.indexOf('=== END ===') + '=== END ==='.length)

describe('the listener as earlier implementations had it', () => {
  for (const entry of binding) {
    it(`${entry.suite}: ${entry.name}`, async (context) => {
      if (entry.input.includes('lang = "bash"')) skipWithout(context, 'bash')
      const world = await listening(entry.initial ?? 'An empty page.', { clada: { exec } })
      const moved = (text: string): string => text.replaceAll('/tmp/', `${world.dir}/`)
      fs.writeFileSync(world.file, moved(entry.input))
      await ran(world, 1)

      const output = fs.readFileSync(world.output, 'utf8')
      const wanted = filled(relative(oneMistake(ours(moved(entry.expected.output))), world.dir))
      expect(summaryOf(output)).toBe(summaryOf(wanted))
      if (showsWholeFiles(entry)) expect(output).toMatch(/=== (REPAIR|START FILE)/)
      else expect(output.split('\n\n=== REPAIR ===')[0]).toBe(wanted)

      expect(ownIn(world.file)).toBe(moved(entry.input))
      expect(sectionIn(world.file).trimEnd()).toBe(summaryOf(wanted))
    })
  }
})
