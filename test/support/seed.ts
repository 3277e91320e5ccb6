import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, inject, type TestContext } from 'vitest'

/**
 * The same random texts every time, so that the same code gives the same result; a run that is to find something new
 * takes others: `CLADA_SEED=random npm test`, or a number to have one again.
 */
const asked = process.env['CLADA_SEED']
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked ?? 1) })

// Before each file anew: the process is shared, and a test may have left its own.
process.env['XDG_STATE_HOME'] = inject('state')

/** The library's users would see these on their screens. Once, because files share a process. */
if (!process.listeners('warning').some(({ name }) => name === noteWarning.name)) process.on('warning', noteWarning)

function noteWarning({ stack }: Error): void {
  fs.appendFileSync(inject('warnings'), `${expect.getState().testPath}: ${stack}\n`)
}

/** Tests that make links, modes or names that Windows does not have are skipped by name. Wine claims to make links. */
if (process.platform === 'win32') {
  let test: TestContext | undefined
  // The third line is the caller of what is replaced here.
  const calledByTest = () => /[\\/]test[\\/]/.test(new Error().stack?.split('\n')[3] ?? '')
  beforeEach((context) => {
    test = context
  })
  const { symlinkSync, chmodSync, writeFileSync, mkdirSync } = fs
  afterAll(() => {
    Object.assign(fs, { symlinkSync, chmodSync, writeFileSync, mkdirSync })
    syncBuiltinESMExports()
  })
  fs.symlinkSync = (target, file, type) => {
    try {
      symlinkSync(target, file, type)
      fs.lstatSync(file)
    } catch {
      if (calledByTest()) test?.skip('needs links')
      throw Object.assign(new Error(`EPERM: operation not permitted, symlink '${String(target)}'`), { code: 'EPERM' })
    }
  }
  const impossible = /[<>:"|?*\p{Cc}]|[^.\\/][. ](?:[\\/]|$)/u
  const named =
    <First, Rest extends unknown[]>(make: (file: First, ...rest: Rest) => unknown) =>
    (file: First, ...rest: Rest): unknown => {
      if (typeof file === 'string' && impossible.test(file.replace(/^[a-z]:/i, '')) && calledByTest())
        test?.skip('needs other names')
      return make(file, ...rest)
    }
  Object.assign(fs, { writeFileSync: named(writeFileSync), mkdirSync: named(mkdirSync) })
  fs.chmodSync = (file, mode) => {
    chmodSync(file, mode)
    // Of all modes there is only read-only, for files.
    const known = fs.statSync(file).isDirectory() ? [0o700, 0o755, 0o777] : [0o444, 0o600, 0o644, 0o666]
    if (!known.includes(Number(mode)) && calledByTest()) test?.skip('needs modes')
  }
  // For what imports the functions by name.
  syncBuiltinESMExports()
}
