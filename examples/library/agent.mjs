// A coding agent: asks a model, applies its reply, sends the report back, until the model says that it is done.
//
//   MODEL_URL=http://localhost:11434/v1/chat/completions MODEL=qwen3 node agent.mjs PROJECT "Fix the failing test"
import { createClada } from 'clada'

const [project, task] = process.argv.slice(2)
const clada = createClada({ repoPath: project, ask })
const session = clada.session()

const prompt = await session.prompt({ task, context: {} })
const messages = [{ role: 'user', content: prompt.text }]

for (let round = 1; round <= 10; round++) {
  const reply = await complete(messages)
  messages.push({ role: 'assistant', content: reply })

  const result = await session.execute(reply)
  console.log(`Round ${round}:\n${await clada.report(result, { for: 'person' })}\n`)
  // A reply without blocks and without an error is the model's last word.
  if (result.results.length === 0 && result.success) break

  messages.push({ role: 'user', content: await session.report(result, { for: 'model', budget: 5_000 }) })
}

const { sent, received } = session.tokens
console.log(`${sent} tokens sent, ${received} received. To take everything back: clada undo --conversation`)

/** Commands that are not approved in the project's clada.yml are refused: nobody is there to ask. */
async function ask() {
  return 'no'
}

async function complete(messages) {
  const response = await fetch(process.env.MODEL_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.MODEL_KEY ?? ''}` },
    body: JSON.stringify({ model: process.env.MODEL ?? 'default', messages }),
  })
  if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`)
  const { choices } = await response.json()
  return choices[0].message.content
}
