import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { estimateTokens } from '@clada/reply/text/lines.ts'
import { describe, expect, it } from 'vitest'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { exampleFiles } from '../../packages/clada/src/describe/lesson.ts'
import { skillFor } from '../../packages/clada/src/describe/skill.ts'
import { clada, cladaCommand } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const skill = skillFor(allActions())

describe('SKILL.md', () => {
  it('begins with what agents read before they load it', () => {
    const [, name = '', description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill) ?? []
    expect(name).toBe('clada')
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(description).not.toMatch(/[<>]|: /)
    expect(estimateTokens(skill)).toBeLessThanOrEqual(1100)
  })

  it('is what clada prompt --skill prints, and what the package has', () => {
    const root = scratchDir()
    expect(clada(['prompt', '--skill'], { cwd: root }).stdout).toBe(skill)
    expect(fs.readFileSync(path.join(import.meta.dirname, '../../packages/clada/skills/clada/SKILL.md'), 'utf8')).toBe(
      skill,
    )
  })

  it('has commands that work as they stand', (context) => {
    skipWithout(context, 'bash')
    const root = scratchDir({ ...exampleFiles, 'bin/clada': `#!/bin/sh\nexec ${cladaCommand().join(' ')} "$@"\n` })
    fs.chmodSync(path.join(root, 'bin/clada'), 0o755)
    const env = { ...process.env, PATH: `${root}/bin:${process.env['PATH']}`, XDG_STATE_HOME: scratchDir() }
    const sh = (script: string): string => execFileSync('bash', ['-c', script], { cwd: root, env, encoding: 'utf8' })
    const [, example = ''] = /```sh\n([^]*?)```/.exec(skill) ?? []
    expect(sh(example)).toContain('=== CLADA RESULTS ===')
    expect(filesIn(root)).toMatchObject({
      'src/greet.js': expect.stringContaining('Hello, ${who}!'),
      'docs/greet.md': expect.stringContaining('# greet'),
    })
    const commands = [...skill.matchAll(/`(clada (?:do|outline|tools|history|undo)[^`\n]*)`/g)].map(
      ([, line = '']) => line,
    )
    expect(commands).toHaveLength(8)
    for (const line of commands) {
      const script = line.replace('FILE', 'src/greet.js').replace('NAME', 'greet').replace(' N', ' 1')
      const input = line.includes('--stdin') ? "echo 'export const greet = () => 1' | " : ''
      expect([script, sh(`${input}${script} || echo "exit $?"`)]).not.toEqual([
        script,
        expect.stringContaining('exit 2'),
      ])
    }
  })
})
