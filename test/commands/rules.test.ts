import { describe, expect, it } from 'vitest'
import { defaultDeniedPatterns } from '../../src/core/settings.ts'
import { judgeCommand } from '../../src/policy/commands/judge-command.ts'
import { commandRules } from '../../src/policy/commands/table.ts'

/** Each rule brings its own proof. */
for (const rule of commandRules) {
  describe(rule.name, () => {
    for (const line of rule.hits) {
      it(`passes: ${line}`, () => {
        expect(judgeCommand(line, { deniedPatterns: defaultDeniedPatterns, root: '/p' })).toMatchObject({
          verdict: 'allow',
          listed: { rule: { name: rule.name } },
        })
      })
    }
    for (const line of rule.misses) {
      it(`refuses: ${line}`, () => {
        const decision = judgeCommand(line, { deniedPatterns: defaultDeniedPatterns, root: '/p' })
        // Commands that change the repository can be approved.
        if (decision.verdict === 'ask') expect(line).toMatch(/^git (?:branch|stash) ?/)
        else
          expect(decision).toMatchObject({
            verdict: 'deny',
            reason: expect.stringMatching(/./),
            advice: expect.stringMatching(/./),
          })
      })
    }
  })
}

it('has no rule twice', () => {
  const names = commandRules.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})
