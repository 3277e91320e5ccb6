import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type LoopEvent, type LoopOptions, runLoop } from '../../packages/clada/src/loop/loop.ts'
import { type ChatMessage, type Model, ModelError } from '../../packages/clada/src/loop/model.ts'
import { Transcript } from '../../packages/clada/src/loop/transcript.ts'

export const write = (file: string, content: string): string =>
  `<---WRITE file="${file}"--->\n${content}\n<---END--->\n`

export const sham = (action: string, params: string): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "${action}"\n${params}\n#!END_SHAM_abc\n`

export async function collected(texts: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = []
  for await (const text of texts) found.push(text)
  return found
}

/** A model that gives these replies, one after another. */
export function scripted(...replies: (string | ModelError)[]): Model & { readonly asked: (readonly ChatMessage[])[] } {
  const asked: (readonly ChatMessage[])[] = []
  return {
    name: 'scripted',
    asked,
    reply: async function* (messages) {
      asked.push(messages)
      const reply = replies[asked.length - 1] ?? 'Done.'
      if (reply instanceof ModelError) throw reply
      for (let at = 0; at < reply.length; at += 7) yield reply.slice(at, at + 7)
    },
  }
}

const beginning = (root: string, model: Model): Transcript =>
  Transcript.begin(path.resolve(root), { id: 'one', started: '2026-01-01', task: 'task', model: model.name })

export async function looped(root: string, model: Model, more: Partial<LoopOptions> = {}) {
  const events: LoopEvent[] = []
  const transcript = beginning(root, model)
  const result = await runLoop({
    model,
    clada: { repoPath: root, gitCommit: false, conversation: { kind: 'loop', id: 'one' } },
    report: {},
    prompt: 'PROMPT',
    limits: { rounds: 10, window: 8000 },
    transcript,
    signal: new AbortController().signal,
    hear: (event) => void events.push(event),
    ...more,
  })
  return { result, events, transcript }
}

export type Answer = (response: http.ServerResponse, body: string, request: http.IncomingMessage) => void
export async function serving(...answers: Answer[]) {
  let count = 0
  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => answers[Math.min(count++, answers.length - 1)]?.(response, body, request))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void (server.closeAllConnections(), server.close()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, count: () => count }
}
export const event = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`
