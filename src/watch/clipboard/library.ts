import { systemPath } from '../../process/programs.ts'
import type { Clipboard, Machine, NoClipboard } from './clipboard.ts'
import { feedHelper } from './helper.ts'
import { fromWindows } from './text.ts'

/** What macOS and Windows have, through a library that knows them. Loaded only when it is needed. */
export async function openLibrary(kind: 'native' | 'wsl', machine: Machine): Promise<Clipboard | NoClipboard> {
  try {
    const { default: library } = await import('clipboardy')
    const windows = kind === 'wsl' || process.platform === 'win32'
    return {
      name: kind === 'wsl' ? 'Windows, through WSL' : 'the system',
      read: async () => {
        const text = await inTime(
          onSystemPath(() => library.read()),
          machine,
        )
        return windows ? fromWindows(text) : text
      },
      write: (text) =>
        kind === 'wsl'
          ? writeFromWsl(text, machine)
          : inTime(
              onSystemPath(() => library.write(text)),
              machine,
            ),
    }
  } catch (error) {
    return { why: `No clipboard: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** The library starts its programs by name, in the same turn; none of them is to come from a project. */
function onSystemPath<T>(start: () => Promise<T>): Promise<T> {
  const own = process.env['PATH']
  if (own === undefined || process.platform === 'win32') return start()
  process.env['PATH'] = systemPath.join(':')
  try {
    return start()
  } finally {
    process.env['PATH'] = own
  }
}

/** The pipe between the two systems spoils everything but ASCII. */
function writeFromWsl(text: string, machine: Machine): Promise<void> {
  const script =
    '$b=[Console]::In.ReadToEnd(); Set-Clipboard -Value ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($b)))'
  const powershell = '/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe'
  const encoded = Buffer.from(text).toString('base64')
  return feedHelper([powershell, '-NoProfile', '-NonInteractive', '-Command', script], encoded, machine)
}

function inTime<T>(work: Promise<T>, { patienceMs }: Machine): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error('the clipboard does not answer')), patienceMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
