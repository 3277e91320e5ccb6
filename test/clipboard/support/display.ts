import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The programs that the tests of the real clipboard need. */
export const displayNeeds = ['Xvfb', 'xclip', 'xsel'] as const

/** An X server without a screen, on a number that is free or was given. */
export class Display {
  readonly number: string
  readonly #server: ChildProcess

  private constructor(number: string, server: ChildProcess) {
    this.number = number
    this.#server = server
  }

  static open(number?: string): Promise<Display> {
    return new Promise((done, fail) => {
      const args = ['-displayfd', '3', '-screen', '0', '64x64x8', '-nolisten', 'tcp', '-noreset']
      const server = spawn('Xvfb', [...(number === undefined ? [] : [`:${number}`]), ...args], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      })
      server.on('error', fail)
      server.stdio[3]?.once('data', (chunk: Buffer) => done(new Display(chunk.toString().trim(), server)))
      server.on('exit', () => fail(new Error('Xvfb did not start')))
    })
  }

  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], HOME: process.env['HOME'], DISPLAY: `:${this.number}` }
  }

  /** Copies as a person at a terminal does. */
  copy(text: string, type = 'UTF8_STRING'): void {
    const args = ['-selection', 'clipboard', '-t', type, '-i']
    spawnSync('xclip', args, { input: text, env: this.env, stdio: ['pipe', 'ignore', 'ignore'] })
  }

  /** Without blocking: what is pasted may be served by this very process. */
  async paste(): Promise<string> {
    const { stdout } = await run('xclip', ['-selection', 'clipboard', '-o', '-t', 'UTF8_STRING'], {
      env: this.env,
      maxBuffer: 2 ** 26,
      timeout: 10_000,
    })
    return stdout
  }

  /** Resolves when it is gone. */
  close(): Promise<void> {
    if (this.#server.exitCode !== null || this.#server.signalCode !== null) return Promise.resolve()
    return new Promise((done) => {
      this.#server.once('exit', () => done())
      this.#server.kill('SIGKILL')
    })
  }
}
