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

const loadCalls = (): NativeCalls | undefined =>
  platform.replacesOpenFiles ? loadPackage<NativeCalls>('fs-native-extensions') : undefined
