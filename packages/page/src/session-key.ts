/**
 * What proves that this tab is ours. A cookie would not do: browsers send it to every port of this machine. It comes with
 * the page that answers to the printed address, outlives a reload, and tabs of the same origin tell it to each other.
 */

const name = 'clada-key'
const tabs = new BroadcastChannel(name)
let key = ''
keepKey(keyFromAddress() ?? readStoredKey() ?? '')

/** Empty where there is none yet. */
export const currentKey = (): string => key

/** Answers other tabs as long as the server takes our key, and takes theirs when it does not. */
export function shareKey(works: () => boolean): void {
  tabs.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === 'which?') {
      if (works()) tabs.postMessage({ key })
    } else if (!works() && isKey(data)) keepKey(data.key)
  })
}

/** Asks the other tabs. Whatever they say comes later. */
export const askForKey = (): void => tabs.postMessage('which?')

const isKey = (data: unknown): data is { key: string } =>
  typeof data === 'object' && data !== null && 'key' in data && typeof data.key === 'string'

function keyFromAddress(): string | undefined {
  const element = document.querySelector(`meta[name="${name}"]`)
  const found = element?.getAttribute('content') ?? undefined
  element?.remove()
  return found
}

function keepKey(fresh: string): void {
  key = fresh
  try {
    sessionStorage.setItem(name, fresh)
  } catch {
    // Storage may be closed; then a reload needs another address.
  }
}

function readStoredKey(): string | null {
  try {
    return sessionStorage.getItem(name)
  } catch {
    return null
  }
}
