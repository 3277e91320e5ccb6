import os from 'node:os'
import { findProgram, pathOutside, systemPath } from '../process/programs.ts'
import type { Clipboard, FindProgram, NoClipboard } from './clipboard.ts'
import { openLibrary } from './library.ts'
import { openWayland } from './wayland.ts'
import { openX11 } from './x11.ts'

export interface OpenOptions {
  /** Programs are not taken from there: what lies in a project may have been written by a model. */
  readonly roots?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Looks at what this machine has; nothing is read yet. */
export async function openClipboard(options: OpenOptions = {}): Promise<Clipboard | NoClipboard> {
  const { roots = [process.cwd()], env = process.env } = options
  if (process.platform !== 'linux') return openLibrary('native')
  const dirs = [...systemPath, ...pathOutside(env['PATH'], roots)]
  const find: FindProgram = (name) => findProgram(name, dirs)
  // The Linux desktop that WSL brings shares its clipboard with Windows, and keeps every letter.
  const found = (await openWayland(find, env)) ?? openX11(find, env)
  if (found !== undefined) return found
  if (isWsl()) return openLibrary('wsl')
  if (env['WAYLAND_DISPLAY']) return { why: 'No clipboard: install wl-clipboard.' }
  // The library brings an xsel for the commonest kind of machine.
  if (env['DISPLAY'])
    return process.arch === 'x64' ? openLibrary('native') : { why: 'No clipboard: install xclip or xsel.' }
  return {
    why: 'No clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set. Over SSH, --osc52 copies to the clipboard of your own terminal.',
  }
}

const isWsl = (): boolean => /microsoft/i.test(os.release())
