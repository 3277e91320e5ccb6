import { isRecord, type PopupState } from './messages.ts'
import { ask, byId, say, tried } from './own-page.ts'

const on = (id: string, event: string, act: () => Promise<void>): void => {
  const run = tried(act)
  byId(id, HTMLElement).addEventListener(event, (happened) => {
    happened.preventDefault()
    run()
  })
}

tried(show)()

async function currentTab(): Promise<number> {
  const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true })
  return tab?.id ?? -1
}

async function show(): Promise<void> {
  const state: unknown = await ask({ type: 'state', tab: await currentTab() })
  if (!isState(state)) return
  const { paired, site, enabled, projects, chosen } = state
  byId('pairing', HTMLElement).hidden = paired
  byId('paired', HTMLElement).hidden = !paired
  byId('site', HTMLElement).textContent = site ?? 'this page, which is not a web page'
  byId('always', HTMLButtonElement).hidden = site === undefined || enabled !== 'off'
  byId('off', HTMLButtonElement).hidden = site === undefined || enabled === 'off'
  const options = projects.map(({ id, name, port }) => new Option(`${name} (port ${port})`, id, false, id === chosen))
  if (!projects.some(({ id }) => id === chosen)) options.unshift(new Option('Choose…', ''))
  byId('project', HTMLSelectElement).replaceChildren(...options)
  if (paired && projects.length === 0) say('clada is not running. Start clada ui in your project.')
}

const isState = (value: unknown): value is PopupState => isRecord(value) && typeof value['paired'] === 'boolean'

on('pairing', 'submit', async () => {
  const project: unknown = await ask({ type: 'pair', code: byId('code', HTMLInputElement).value })
  say(`Paired with ${isRecord(project) ? String(project['name']) : 'clada'}.`)
  await show()
})

on('always', 'click', async () => {
  const { protocol, hostname } = new URL(byId('site', HTMLElement).textContent)
  const isAllowed = await chrome.permissions.request({ origins: [`${protocol}//${hostname}/*`] })
  await ask({ type: 'enable', tab: await currentTab(), how: isAllowed ? 'always' : 'once' })
  say(isAllowed ? '' : 'Without the permission it works in this tab until it is reloaded.')
  await show()
})

on('off', 'click', async () => {
  await ask({ type: 'enable', tab: await currentTab(), how: 'off' })
  say('Reload the page to remove the bars.')
  await show()
})

on('project', 'change', async () => {
  const project = byId('project', HTMLSelectElement).value
  if (project !== '') await ask({ type: 'choose', tab: await currentTab(), project })
  await show()
})

on('prompting', 'submit', async () => {
  const answer: unknown = await ask({
    type: 'prompt',
    tab: await currentTab(),
    task: byId('task', HTMLTextAreaElement).value,
  })
  if (answer === true) return say('The prompt is in the field.')
  const text = isRecord(answer) && typeof answer['text'] === 'string' ? answer['text'] : undefined
  if (text === undefined) return say('There is no field for a message in this page.')
  await navigator.clipboard.writeText(text)
  say('The prompt is copied: there is no field that it could go to.')
})

on('forget', 'click', async () => {
  await ask({ type: 'forget' })
  await show()
})
