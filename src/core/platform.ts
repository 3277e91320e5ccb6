import path from 'node:path'

/** The differences between operating systems. No other file asks for the name of the system. */
export interface Platform {
  readonly name: NodeJS.Platform
  /** The rules for paths. */
  readonly path: path.PlatformPath
  /** Whether one file answers to names in any case. macOS can be set up either way, so there the disk is asked. */
  readonly ignoresCase: boolean
  /** Whether a name in an open directory can be reached through its descriptor, and `/proc` describes every process. */
  readonly proc: boolean
  /** Whether a file that some program has open can be replaced by another one. */
  readonly replacesOpenFiles: boolean
  /** Whether `open` can refuse to follow a link. */
  readonly opensWithoutFollowing: boolean
  /** Whether a process and its children form a group that one signal ends. */
  readonly processGroups: boolean
  /** How many bytes of arguments a program may get. */
  readonly argumentBytes: number
  /** The program that opens a web page, with its arguments. */
  readonly opener: readonly [string, ...string[]]
}

export function platformOf(name: NodeJS.Platform): Platform {
  if (name === 'win32')
    return {
      name,
      path: path.win32,
      ignoresCase: true,
      proc: false,
      replacesOpenFiles: false,
      opensWithoutFollowing: false,
      processGroups: false,
      argumentBytes: 20_000,
      // Not `start`, which is a command of a shell that would read the address.
      opener: ['rundll32', 'url.dll,FileProtocolHandler'],
    }
  return {
    name,
    path: path.posix,
    ignoresCase: false,
    proc: name === 'linux',
    replacesOpenFiles: true,
    opensWithoutFollowing: true,
    processGroups: true,
    argumentBytes: 500_000,
    opener: name === 'darwin' ? ['open'] : ['xdg-open'],
  }
}

export const platform: Platform = platformOf(process.platform)
