import { render } from 'preact'
import './panel.css'
import { type OpenedReply } from './messages.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { check, compareReadings, link, show, waitForRest } from './panel-state.ts'
import { Panel } from './panel-view.tsx'

/** The surface beside the page: side panel, sidebar or window. It shows the reply that was opened last in its window. */

const given = Number(new URLSearchParams(location.search).get('window') ?? NaN)
const isOwnWindow = !Number.isNaN(given)

async function startPanel(): Promise<void> {
  const root = document.getElementById('app')
  if (root !== null) render(<Panel />, root)
  waitForRest()
  const own = (await chrome.windows.getCurrent()).id ?? -1
  const window = isOwnWindow ? given : own
  const name = `opened-${window}`
  chrome.storage.session.onChanged.addListener((changes) => {
    const change = changes[name]
    if (change !== undefined) void show(asOpened(change.newValue))
  })
  chrome.runtime.onMessage.addListener((message, _sender, respond) => {
    if (!isRecord(message) || message['type'] !== 'panel' || message['window'] !== window) return undefined
    if (isOwnWindow) void chrome.windows.update(own, { focused: true })
    respond(true)
    return undefined
  })
  await show(asOpened((await chrome.storage.session.get(name))[name]))
  setInterval(() => void compareReadings(), 1000)
  // clada may be started while the panel waits for it.
  setInterval(() => {
    if (link.value?.kind === 'stopped') void check()
  }, 2000)
}

/** Only the service worker writes it. */
const asOpened = (value: unknown): OpenedReply | null => (isOpened(value) ? value : null)

const isOpened = (value: unknown): value is OpenedReply => isRecord(value) && typeof value['text'] === 'string'

void startPanel()
