import fs from 'node:fs'
import path from 'node:path'
import type { GetPromptRequest } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { projectPrompt } from '../../packages/clada/src/api/project-prompt.ts'
import { trust } from '../../packages/clada/src/config/trust.ts'
import { scratchDir } from '../support/scratch.ts'
import { connected } from './client.ts'

describe('the prompt', () => {
  it('is what clada prompt says, in the syntax that is asked for', async () => {
    const root = scratchDir()
    const { client } = await connected(root)
    const listed = [
      { name: 'start', arguments: [{ name: 'task', required: true }] },
      { name: 'clada', arguments: [{ name: 'syntax', required: false }] },
    ]
    expect((await client.listPrompts()).prompts).toMatchObject(listed)
    const told = async (params: GetPromptRequest['params']) => (await client.getPrompt(params)).messages
    const message = (text: string) => [{ role: 'user', content: { type: 'text', text } }]
    expect(await told({ name: 'clada' })).toEqual(message(projectPrompt({ repoPath: root, relativePaths: true }).text))
    const csl = projectPrompt({ repoPath: root, syntaxes: ['csl'] }).text
    expect(csl).toContain('<---')
    expect(await told({ name: 'clada', arguments: { syntax: 'csl' } })).toEqual(message(csl))
  })

  it('starts a task', async () => {
    const root = scratchDir()
    const { client } = await connected(root)
    const { messages } = await client.getPrompt({ name: 'start', arguments: { task: 'Fix the typo.' } })
    expect(messages[0]?.content).toMatchObject({ text: expect.stringMatching(/^Fix the typo\.\n\nThe project is \//) })
    await expect(client.getPrompt({ name: 'start', arguments: {} })).rejects.toThrow('task must be a text')
  })

  it('tells the rules of a project only when it is trusted', async () => {
    const root = scratchDir()
    const text = 'version: 1\nprompt:\n  rules: [Write tests first.]\n'
    fs.writeFileSync(path.join(root, 'clada.yml'), text)
    const told = async (): Promise<string> => {
      const { client } = await connected(root)
      return JSON.stringify(await client.getPrompt({ name: 'clada' }))
    }
    expect(await told()).not.toContain('Write tests first.')
    expect(trust({ place: root, root: root }, text)).toBe(true)
    expect(await told()).toContain('- Write tests first.')
  })

  it('is refused in a syntax that cannot be taught, and under another name', async () => {
    const { client } = await connected(scratchDir())
    const wrong = { code: -32602 }
    await expect(client.getPrompt({ name: 'clada', arguments: { syntax: 'udiff' } })).rejects.toMatchObject(wrong)
    await expect(client.getPrompt({ name: 'clada', arguments: { syntax: 'cls' } })).rejects.toThrow('Did you mean csl?')
    await expect(client.getPrompt({ name: 'other' })).rejects.toMatchObject(wrong)
  })
})
