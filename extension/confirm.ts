import { printable, withoutHidden } from '../src/report/words.ts'
import { type Decision, isRecord, type Waiting } from './messages.ts'
import { ask, byId, say, tried } from './own-page.ts'

let id = location.hash.slice(1)
const buttons = [byId('yes', HTMLButtonElement), byId('insert', HTMLButtonElement)]
const enable = (on: boolean): void => buttons.forEach((button) => (button.disabled = !on))

tried(show)()
chrome.runtime.onMessage.addListener((message) => {
  if (isRecord(message) && message['type'] === 'asking' && typeof message['id'] === 'string') {
    id = message['id']
    tried(show)()
  }
  return undefined
})

async function show(): Promise<void> {
  enable(false)
  const waiting: unknown = await ask({ type: 'waiting', id })
  if (!isWaiting(waiting)) return say('This question is no longer open.')
  const { site, project, why, blocks, fatal } = waiting
  byId('site', HTMLElement).textContent = site
  byId('project', HTMLElement).textContent = project
  byId('why', HTMLElement).textContent =
    why === 'new site'
      ? 'It is the first one that you apply from there: this is what it would do.'
      : 'Something was over the bar when you clicked, or your browser cannot tell.'
  byId('blocks', HTMLElement).replaceChildren(
    ...blocks.flatMap(({ action, target, state, why: reason, runs, raw }) => {
      const title = document.createElement('h2')
      title.textContent = printable(`${action} ${target} – ${state}${reason === undefined ? '' : `: ${reason}`}`)
      const text = document.createElement('pre')
      text.textContent = withoutHidden(printable(runs === undefined ? raw : `$ ${runs}\n\n${raw}`))
      return [title, text]
    }),
  )
  say(fatal ?? '')
  // It was not read yet: a key or a click that was meant for the page must not be the answer.
  setTimeout(() => enable(fatal === undefined), 700)
}

const isWaiting = (value: unknown): value is Waiting => isRecord(value) && Array.isArray(value['blocks'])

const decided = (answer: Decision): (() => void) =>
  tried(async () => {
    enable(false)
    await ask({ type: 'decide', id, answer })
    window.close()
  })

for (const answer of ['no', 'yes', 'insert'] as const)
  byId(answer, HTMLElement).addEventListener('click', decided(answer))
