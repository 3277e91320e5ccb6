import fs from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { printable } from '../report/printable.ts'

/** Shows what programs write as it comes, line by line, marked with the task it belongs to; on stderr by default. */
export class LiveOutput {
  readonly #print: (line: string) => void
  #decoder = new StringDecoder('utf8')
  #task = ''
  #rest = ''

  constructor(print: (line: string) => void = (line) => void fs.writeSync(2, `${line}\n`)) {
    this.#print = print
  }

  readonly add = (task: string, chunk: Buffer): void => {
    if (task !== this.#task) this.end()
    this.#task = task
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#show(line)
    // A program that never breaks its lines is shown in pieces.
    if (this.#rest.length > 4096) this.end()
  }

  /** Shows the line that was never ended. */
  end(): void {
    const rest = this.#rest + this.#decoder.end()
    this.#decoder = new StringDecoder('utf8')
    this.#rest = ''
    if (rest !== '') this.#show(rest)
  }

  #show(line: string): void {
    this.#print(`[task-${this.#task}:exec] ${printable(line)}`)
  }
}
