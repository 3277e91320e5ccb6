import { type FromOwn, isRecord } from './messages.ts'

/** What the windows of the extension share. */

/** An element of the page's own markup. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`there is no #${id}`)
  return found
}

/** Asks the service worker. @throws what went wrong, for people to read */
export async function ask(request: FromOwn): Promise<unknown> {
  const answer: unknown = await chrome.runtime.sendMessage(request)
  if (isRecord(answer) && answer['step'] === 'failed') throw new Error(String(answer['why']))
  return answer
}

export const say = (text: string): void => void (byId('said', HTMLElement).textContent = text)

/** Does something, and says what went wrong. */
export const tried = (act: () => Promise<void>) => (): void => {
  act().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
}
