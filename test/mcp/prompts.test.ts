import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PromptSource } from '../../src/mcp/prompts.ts'
import { makeServer } from '../../src/mcp/server.ts'
import { scratchDir } from '../support/scratch.ts'

async function client(root: string, prompt?: PromptSource): Promise<Client> {
  const door = { options: { repoPath: root }, report: {}, version: '1', question: () => '', log: () => undefined }
  const { server } = makeServer({ ...door, ...(prompt === undefined ? {} : { prompt }) }, new AbortController().signal)
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const made = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(ours), made.connect(theirs)])
  onTestFinished(() => made.close())
  return made
}

describe('the prompt', () => {
  const source: PromptSource = {
    syntaxes: ['sham', 'csl'],
    text: ({ repoPath }, syntax) => `write ${syntax ?? 'anything'} in ${repoPath}`,
  }

  it('teaches a syntax, or what is usual', async () => {
    const root = scratchDir()
    const made = await client(root, source)
    expect((await made.listPrompts()).prompts).toMatchObject([
      { name: 'clada', arguments: [{ name: 'syntax', required: false }] },
    ])
    const text = async (params: { name: string; arguments?: Record<string, string> }) =>
      (await made.getPrompt(params)).messages[0]?.content
    expect(await text({ name: 'clada' })).toEqual({ type: 'text', text: `write anything in ${root}` })
    expect(await text({ name: 'clada', arguments: { syntax: 'csl' } })).toMatchObject({ text: `write csl in ${root}` })
    await expect(text({ name: 'clada', arguments: { syntax: 'cls' } })).rejects.toThrow('Did you mean csl?')
    await expect(text({ name: 'other' })).rejects.toMatchObject({ code: -32602 })
  })

  it('is not offered where there is none', async () => {
    expect((await client(scratchDir())).getServerCapabilities()).not.toHaveProperty('prompts')
  })
})
