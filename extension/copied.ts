/**
 * Runs among the scripts of the page and passes on what its copy buttons put on the clipboard. The page can do the same;
 * the other side takes a text only after a click of the user, and only where it is the one that the page shows.
 */
const { clipboard } = navigator

function replace(name: 'write' | 'writeText', value: (given: never) => Promise<void>): void {
  Object.defineProperty(clipboard, name, { configurable: true, writable: true, value })
}

function pass(text: string): void {
  document.dispatchEvent(new CustomEvent('clada-copied', { detail: text }))
}

/** A rich copy has the text as one of several types. */
async function passPlain(items: readonly ClipboardItem[]): Promise<void> {
  for (const item of items) if (item.types.includes('text/plain')) pass(await (await item.getType('text/plain')).text())
}

if (clipboard !== undefined && !Object.hasOwn(clipboard, 'writeText')) {
  const [writeText, write] = [clipboard.writeText.bind(clipboard), clipboard.write.bind(clipboard)]
  replace('writeText', (text: string) => {
    pass(String(text))
    return writeText(text)
  })
  replace('write', (items: ClipboardItem[]) => {
    // Whatever is wrong with them is for the page to hear.
    passPlain([...items]).catch(() => undefined)
    return write(items)
  })
}
