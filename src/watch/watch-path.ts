import fs from 'node:fs'
import path from 'node:path'

/**
 * Tells of every change at a path: written in place, renamed over, deleted, made again. The directory is watched,
 * because an editor may put another file there; a slow look now and then finds what the system did not tell.
 */
export function watchPath(file: string, onChange: () => void, lookEveryMs = 2000): () => void {
  const dir = path.dirname(file)
  const name = path.basename(file)
  let watcher: fs.FSWatcher | undefined
  let watched = ''
  let last = signOf(file)

  const open = (): void => {
    close()
    watched = signOf(dir, 'identity')
    if (watched === '') return
    try {
      watcher = fs.watch(dir, (_, changed) => {
        if (changed === null || changed === name) onChange()
      })
      watcher.on('error', close)
    } catch {
      // Too many watches, or none here: looking now and then must do.
      watcher = undefined
    }
  }
  const close = (): void => {
    watcher?.close()
    watcher = undefined
  }

  open()
  const timer = setInterval(() => {
    if (signOf(dir, 'identity') !== watched || watcher === undefined) open()
    const now = signOf(file)
    if (now === last) return
    last = now
    onChange()
  }, lookEveryMs)
  return () => {
    clearInterval(timer)
    close()
  }
}

function signOf(file: string, what: 'content' | 'identity' = 'content'): string {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true })
  if (stat === undefined) return ''
  const identity = `${stat.dev}:${stat.ino}`
  return what === 'identity' ? identity : `${identity}:${stat.size}:${stat.mtimeNs}`
}
