/** What the popup needs of its own markup. */

export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`there is no #${id}`)
  return found
}

export const showText = (text: string): void => void (byId('said', HTMLElement).textContent = text)

/** Does something, and says what went wrong. */
export const withShownErrors = (act: () => Promise<void>) => (): void => {
  act().catch((error: unknown) => showText(error instanceof Error ? error.message : String(error)))
}
