// A web backend: every visitor has a session, reviews the reply of a model, applies a part of it, and can undo it all.
//
//   node backend.mjs PROJECT [PORT]
//
//   POST /sessions                     → { id, prompt }
//   POST /sessions/ID/review  {reply}  → the blocks of the reply with their diffs
//   POST /sessions/ID/apply   {reply, choices}  → { success, report }
//   POST /sessions/ID/undo             → { success, restored }
//   GET  /sessions/ID                  → tokens and executions
import http from 'node:http'
import { createClada } from 'clada'

const [project, port = '0'] = process.argv.slice(2)
const clada = createClada({ repoPath: project })
const sessions = new Map()

const routes = {
  review: async (session, { reply, choices }) => {
    const { blocks, result } = await session.review(reply, choices)
    return { blocks, unreadable: result.parseErrors }
  },
  apply: async (session, { reply, choices }) => {
    const result = await session.execute(reply, { review: choices })
    return { success: result.success, report: await session.report(result) }
  },
  undo: async (session) => {
    const { success, restored, error } = await session.undoAll()
    return { success, restored, error }
  },
}

const server = http.createServer(async (request, response) => {
  const [status, body] = await answer(request).catch((error) => [500, { error: error.message }])
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})

async function answer(request) {
  const [, root, id, verb] = request.url.split('/')
  if (root !== 'sessions') return [404, { error: 'no such page' }]
  if (id === undefined && request.method === 'POST') {
    const session = clada.session()
    sessions.set(session.id, session)
    const { text } = await session.prompt()
    return [201, { id: session.id, prompt: text }]
  }
  const session = sessions.get(id)
  if (session === undefined) return [404, { error: 'no such session' }]
  if (verb === undefined) {
    const executions = (await session.history()).map(({ number, summary }) => ({ number, summary }))
    return [200, { tokens: session.tokens, executions }]
  }
  const route = Object.hasOwn(routes, verb) && request.method === 'POST' ? routes[verb] : undefined
  return route === undefined ? [404, { error: 'no such page' }] : [200, await route(session, await bodyOf(request))]
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

// Only this machine: whoever reaches it can change the project.
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
