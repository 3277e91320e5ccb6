import fs from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { printable } from '../report/printable.ts'

/** Shows what programs write as it comes, line by line on stderr, marked with the task it belongs to. */
export function liveOutput(): (task: string, chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  return (task, chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    // A program that never breaks its lines is shown in pieces.
    if (rest.length > 4096) {
      lines.push(rest)
      rest = ''
    }
    for (const line of lines) fs.writeSync(2, `[task-${task}:exec] ${printable(line)}\n`)
  }
}
