import os from 'node:os'
import path from 'node:path'

/** The differences between operating systems. No other file asks for the name of the system. */
export interface Platform {
  readonly name: NodeJS.Platform
  /** The rules for paths. */
  readonly path: path.PlatformPath
  /** Whether paths begin with a drive and have backslashes beside slashes. */
  readonly drives: boolean
  /** Whether files have modes. */
  readonly modes: boolean
  /** Whether every user may make links. */
  readonly links: boolean
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
  /** Whether `sh` and the commands by which models look around come with the system. */
  readonly posixCommands: boolean
  /** Whether those are the GNU ones. */
  readonly gnuCommands: boolean
  /** What programs can be shut into; undefined where the system has nothing like it. */
  readonly sandbox: 'bubblewrap' | 'sandbox-exec' | undefined
  /** Whether a program can work on a layer over a directory. */
  readonly layers: boolean
  /** Whether it depends on the file system how much a sync brings to the disk. */
  readonly syncsDiffer: boolean
  /** Whether the clipboard is that of a desktop, of which there are several. */
  readonly desktops: boolean
  /** Whether the user's home has a directory `Library`. */
  readonly library: boolean
  /** Directories of programs that come with the system; nothing in the project decides them. */
  readonly systemPath: readonly string[]
  /** The user's home directory, where git looks for configuration; undefined when there is none. */
  home(): string | undefined
  /** Variables that programs need to work at all, besides those that Node always hands on. */
  readonly neededVariables: readonly string[]
  /** Variables that every program gets. */
  readonly ownVariables: Readonly<Record<string, string>>
  /** How many characters the path of a program's working directory may have. */
  readonly longestWorkingDirectory: number
  /** How many bytes of arguments a program may get. */
  readonly argumentBytes: number
  /** What is written there is gone. */
  readonly nullDevice: string
  /** The program that opens a web page, with its arguments. */
  readonly opener: readonly [string, ...string[]]
}

export function platformOf(name: NodeJS.Platform, env: NodeJS.ProcessEnv = process.env): Platform {
  if (name === 'win32') {
    const windows = [env['SystemRoot'], env['windir']].find((dir) => dir !== undefined && /^[A-Za-z]:\\/.test(dir))
    return {
      name,
      path: path.win32,
      drives: true,
      modes: false,
      links: false,
      ignoresCase: true,
      proc: false,
      replacesOpenFiles: false,
      opensWithoutFollowing: false,
      processGroups: false,
      posixCommands: false,
      gnuCommands: false,
      sandbox: undefined,
      layers: false,
      syncsDiffer: false,
      desktops: false,
      library: false,
      systemPath: ['System32', '', 'System32\\Wbem'].map((dir) => path.win32.join(windows ?? 'C:\\Windows', dir)),
      // As Git for Windows looks for it.
      home: () => {
        const { HOME, HOMEDRIVE, HOMEPATH, USERPROFILE } = env
        return HOME ?? (HOMEDRIVE && HOMEPATH ? HOMEDRIVE + HOMEPATH : USERPROFILE)
      },
      neededVariables:
        'SystemRoot SystemDrive windir ComSpec PATHEXT TEMP TMP USERPROFILE USERNAME APPDATA LOCALAPPDATA ProgramData ProgramFiles ProgramFiles(x86) ProgramW6432 CommonProgramFiles NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS HOMEDRIVE HOMEPATH'.split(
          ' ',
        ),
      // Windows otherwise looks for a program in the working directory before it looks in PATH.
      ownVariables: { NoDefaultCurrentDirectoryInExePath: '1' },
      longestWorkingDirectory: 240,
      argumentBytes: 20_000,
      nullDevice: '\\\\.\\nul',
      // Not `start`, which is a command of a shell that would read the address.
      opener: ['rundll32', 'url.dll,FileProtocolHandler'],
    }
  }
  const [linux, mac] = [name === 'linux', name === 'darwin']
  return {
    name,
    path: path.posix,
    drives: false,
    modes: true,
    links: true,
    ignoresCase: false,
    proc: linux,
    replacesOpenFiles: true,
    opensWithoutFollowing: true,
    processGroups: true,
    posixCommands: true,
    gnuCommands: linux,
    sandbox: linux ? 'bubblewrap' : mac ? 'sandbox-exec' : undefined,
    layers: linux,
    syncsDiffer: linux,
    desktops: linux,
    library: mac,
    systemPath: ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin'],
    home: () => env['HOME'],
    neededVariables: [],
    ownVariables: {},
    longestWorkingDirectory: Infinity,
    argumentBytes: 500_000,
    nullDevice: '/dev/null',
    opener: mac ? ['open'] : ['xdg-open'],
  }
}

export const platform: Platform = platformOf(process.platform)

/** The user's home directory. A user id that the system does not know has none: then a place where nothing is. */
export function homeDir(): string {
  try {
    return os.homedir()
  } catch {
    return '/nonexistent'
  }
}
