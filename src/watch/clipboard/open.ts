import os from 'node:os'
import { ownProgram, pathOutside, systemPath } from '../../process/programs.ts'
import type { Clipboard, Machine, NoClipboard } from './clipboard.ts'
import { openLibrary } from './library.ts'
import { openWayland } from './wayland.ts'
import { listenToX11 } from './x11-events.ts'
import { openX11 } from './x11.ts'

export interface OpenOptions {
  /** Programs are not taken from there: what lies in a project may have been written by a model. */
  readonly roots?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Where programs are looked for. By default where the system has them, then the user's PATH. */
  readonly dirs?: readonly string[]
  /** By default nobody's clipboard takes longer, unless whoever owns it does not answer. */
  readonly patienceMs?: number
}

/** Looks at what this machine has; nothing is read yet. */
export async function openClipboard(options: OpenOptions = {}): Promise<Clipboard | NoClipboard> {
  const { roots = [process.cwd()], env = process.env, patienceMs = 5000 } = options
  const dirs = options.dirs ?? [...systemPath, ...pathOutside(env['PATH'], roots)]
  const machine: Machine = { env, patienceMs, find: (name) => ownProgram(name, dirs) }
  if (process.platform !== 'linux') return openLibrary('native', machine)
  // The Linux desktop that WSL brings shares its clipboard with Windows, and keeps every letter.
  const found = (await openWayland(machine)) ?? openX11(machine)
  if (found !== undefined) return found
  if (/microsoft/i.test(os.release())) return openLibrary('wsl', machine)
  if (!env['DISPLAY']) return { why: env['WAYLAND_DISPLAY'] ? `${none} install wl-clipboard.` : noDesktop }
  if (process.arch !== 'x64') return { why: `${none} install xclip.` }
  // The library brings an xsel for the commonest kind of machine.
  const bundled = await openLibrary('native', machine)
  return { ...bundled, listen: (onCopy, onEnd) => listenToX11(env, onCopy, onEnd) }
}

const none = 'No clipboard:'
const noDesktop = `${none} neither WAYLAND_DISPLAY nor DISPLAY is set. Over SSH, --osc52 copies to the clipboard of your own terminal.`
