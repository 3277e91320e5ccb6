import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { type ActionDefinition, validateShamBlock } from '../../packages/clada/src/index.ts'
import { type ActionSpec, defineAction, ok, text } from '../../packages/clada/src/core/action.ts'
import { definitionsOf, actionYaml } from '../../packages/clada/src/describe/describe.ts'
import { oddActions } from './odd-actions.ts'

const actions = allActions()

const versions = ['1.1', '1.2'] as const

describe('YAML', () => {
  for (const version of versions) {
    it(`says the same to a reader of YAML ${version}`, () => {
      const specs = [...actions, ...oddActions]
      expect(parse(actionYaml(specs), { version })).toEqual({ version: 1, tools: definitionsOf(specs) })
    })

    it(`quotes whatever a definition may hold, for a reader of YAML ${version}`, () => {
      fc.assert(
        fc.property(anyText, anyText, anyText, (description, name, other) => {
          const specs = [specWith(description, name, other)]
          expect(parse(actionYaml(specs), { version })).toEqual({ version: 1, tools: definitionsOf(specs) })
        }),
      )
    })
  }

  it('gives definitions that the language can check blocks with', () => {
    const { tools }: { tools: Record<string, ActionDefinition> } = parse(actionYaml(actions))
    for (const { name, examples } of actions) {
      for (const { params } of examples) {
        const block = { id: 'abc', properties: { action: name, ...params } }
        expect(validateShamBlock(block, tools[name])).toMatchObject({ valid: true })
      }
    }
  })
})

/** Half of them made of what YAML gives a meaning to. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc
    .array(
      fc.constantFrom(
        ...': # - ? & * ! | > % @ ` " \' { } [ ] , ~ = true no 1 0x1 1e3 .5 a \n \t \u0085 \u2028'.split(' '),
      ),
    )
    .map((pieces) => pieces.join('')),
)

function specWith(description: string, name: string, other: string): ActionSpec {
  return defineAction({
    // `__proto__` cannot be a key of the plain objects that both sides of the comparison are made of.
    name: `n${name}`,
    aliases: [other],
    description,
    effect: 'read',
    access: ['llm'],
    primary: other,
    display: 'never',
    params: { [`p${other}`]: { ...text(name), required: false, default: description } },
    returns: { [`r${name}`]: other },
    examples: [],
    run: async () => ok({ [`r${name}`]: other }),
  })
}
