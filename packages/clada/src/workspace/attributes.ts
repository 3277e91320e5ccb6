import { plainReason } from '../core/os-words.ts'
import { hasCode, isOsError } from '../core/errors.ts'
import { ownProgram, readProgramOutput, systemPath } from '../process/programs.ts'
import type { NativeCalls } from './native.ts'

/** The access list of a file on Linux. */
const accessList = 'system.posix_acl_access'

/**
 * Gives a new file the access list and the user's attributes of another one. Labels of the system (`security.selinux`,
 * `com.apple.provenance`) are left to the system, which sets them for each file, and marks of an overlay (`user.overlay.`)
 * to the overlay. Both files are open.
 *
 * @throws the system's error where an attribute cannot be set
 */
export function copyAttributes(native: NativeCalls, from: number, to: number): void {
  const wanted = ownAttributes(native, from)
  for (const name of ownAttributes(native, to)) {
    // A default access list of the directory gave it more than the other file has.
    if (!wanted.includes(name)) native.removeAttrSync(to, name)
  }
  for (const name of wanted) {
    const value = native.getAttrSync(from, name)
    if (value !== null) setAttribute(native, to, name, value)
  }
}

/**
 * Without the package no access list is seen or kept, and a file that loses it may be writable for its whole group. `ls` of
 * GNU and of macOS marks such a file with a plus.
 *
 * @throws if the file has an access list
 */
export function refuseAccessList(absolute: string): void {
  const ls = ownProgram('ls', systemPath)
  if (ls === undefined || !/^\S{10}\+/.test(readProgramOutput(ls, ['-ld', '--', absolute], 5000))) return
  throw Object.assign(new Error('its access list cannot be kept (fs-native-extensions is not installed)'), {
    code: 'ENOTSUP',
  })
}

function setAttribute(native: NativeCalls, fd: number, name: string, value: Buffer): void {
  try {
    native.setAttrSync(fd, name, value)
  } catch (error) {
    const what = name === accessList ? 'its access list' : `its attribute '${name}'`
    throw Object.assign(new Error(`${what} cannot be kept (${plainReason(error)})`), {
      code: isOsError(error) ? error.code : 'EIO',
    })
  }
}

function ownAttributes(native: NativeCalls, fd: number): string[] {
  try {
    return native.listAttrsSync(fd).filter((name) => name === accessList || /^user\.(?!overlay\.)/.test(name))
  } catch (error) {
    if (hasCode(error, 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM')) return []
    throw error
  }
}
