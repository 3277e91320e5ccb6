import { loadPackage } from '../core/installation.ts'
import { platform } from '../core/platform.ts'

/** Calls of the system that Node lacks. Names of files are paths, and files with attributes are open descriptors. */
export interface NativeCalls {
  /** Atomically swaps two directory entries (renameat2 with RENAME_EXCHANGE, on macOS renameatx_np). */
  swapSync(one: string, other: string): void
  listAttrsSync(fd: number): string[]
  getAttrSync(fd: number, name: string): Buffer | null
  setAttrSync(fd: number, name: string, value: Buffer): void
  removeAttrSync(fd: number, name: string): void
}

/**
 * From an optional package with compiled code, loaded at the first write. Undefined if it is not installed or has nothing
 * for this machine (Alpine Linux), and on Windows, which has neither of them.
 */
export function nativeCalls(): NativeCalls | undefined {
  loaded ??= { calls: loadCalls() }
  return loaded.calls
}

let loaded: { readonly calls: NativeCalls | undefined } | undefined

/** The compiled code itself: eight packages that look for it would take a third as long as Node takes to start. */
const addon = `fs-native-extensions/prebuilds/${platform.name}-${process.arch}/fs-native-extensions.node`

interface Addon extends Pick<NativeCalls, 'swapSync' | 'listAttrsSync' | 'removeAttrSync'> {
  getAttrSync(fd: number, name: string): ArrayBuffer | null
  setAttrSync(fd: number, name: string, value: ArrayBufferLike, start: number, length: number): void
}

function loadCalls(): NativeCalls | undefined {
  const found = platform.replacesOpenFiles ? loadPackage<Addon>(addon) : undefined
  return (
    found && {
      swapSync: found.swapSync,
      listAttrsSync: found.listAttrsSync,
      removeAttrSync: found.removeAttrSync,
      getAttrSync(fd, name) {
        const value = found.getAttrSync(fd, name)
        return value === null ? null : Buffer.from(value)
      },
      setAttrSync: (fd, name, value) => found.setAttrSync(fd, name, value.buffer, value.byteOffset, value.byteLength),
    }
  )
}
