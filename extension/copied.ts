/**
 * Runs among the scripts of the page and passes on what its copy buttons put on the clipboard. The page can do the same;
 * the other side takes a text only after a click of the user, and only where it is the one that the page shows.
 */
const { clipboard } = navigator
if (clipboard !== undefined && !Object.hasOwn(clipboard, 'writeText')) {
  const write = clipboard.writeText.bind(clipboard)
  Object.defineProperty(clipboard, 'writeText', {
    configurable: true,
    writable: true,
    value: (text: string) => {
      document.dispatchEvent(new CustomEvent('clada-copied', { detail: String(text) }))
      return write(text)
    },
  })
}
