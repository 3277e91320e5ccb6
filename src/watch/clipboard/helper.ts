import { startProgram } from '../../process/start-program.ts'
import type { Machine } from './clipboard.ts'

/** A program that reads or fills the clipboard. Its file is absolute: nothing is looked up. */
export type Helper = readonly [file: string, ...args: string[]]

type Surroundings = Pick<Machine, 'env' | 'patienceMs'>

export interface HelperEnd {
  readonly exitCode: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** @throws Error when it does not start, or hangs: then it is killed. */
export function runHelper([file, ...args]: Helper, { env, patienceMs }: Surroundings): Promise<HelperEnd> {
  return new Promise((done, fail) => {
    const child = startProgram(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
    const hung = killLater(child, patienceMs, () => fail(new Error(`${file} does not answer`)))
    child.on('error', fail)
    child.on('close', (exitCode) => {
      clearTimeout(hung)
      done({ exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8').trim() })
    })
  })
}

/**
 * The same for a program that takes a text and goes on serving it in the background, where it keeps what it inherited:
 * so it gets nothing that could be waited for, and is done when its first process is.
 */
export function feedHelper([file, ...args]: Helper, text: string, { env, patienceMs }: Surroundings): Promise<void> {
  return new Promise((done, fail) => {
    // A session of its own: what serves the text outlives the terminal that clada ran in.
    const child = startProgram(file, args, { env, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
    const hung = killLater(child, patienceMs, () => fail(new Error(`${file} does not answer`)))
    child.on('error', fail)
    child.on('exit', (exitCode) => {
      clearTimeout(hung)
      child.unref()
      if (exitCode === 0) done()
      else fail(new Error(`${file} failed with exit code ${exitCode}`))
    })
    // It may end without reading.
    child.stdin?.on('error', () => {})
    child.stdin?.end(text)
  })
}

/** Runs until it is stopped. Hears of each line it writes. */
export function keepHelper(
  [file, ...args]: Helper,
  { env }: Surroundings,
  onLine: () => void,
  onEnd: () => void,
): () => void {
  const child = startProgram(file, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  let over = false
  const end = (): void => {
    if (!over) onEnd()
    over = true
  }
  child.stdout?.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) onLine()
  })
  child.on('error', end)
  child.on('exit', end)
  return () => {
    over = true
    child.kill()
  }
}

function killLater(child: { kill(signal: 'SIGKILL'): boolean }, timeoutMs: number, then: () => void): NodeJS.Timeout {
  return setTimeout(() => {
    child.kill('SIGKILL')
    then()
  }, timeoutMs)
}
