import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { Worker } from 'node:worker_threads'
import { Stop } from '../core/problem.ts'
import type { Source } from '../core/source.ts'
import { timeLeft } from '../core/time-limit.ts'
import type { Fault } from './structure.ts'

/**
 * What a full parser says of TypeScript and JavaScript, whose grammars see errors where there are none. Undefined where
 * its native part is not installed, or the text is nested beyond all measure: then the grammar alone judges.
 */
export async function oxcFaults(path: string, source: Source): Promise<Fault[] | undefined> {
  parser ??= import('oxc-parser').catch(() => undefined)
  const loaded = await parser
  if (loaded === undefined) return undefined
  const stack = stackFor(source.text)
  if (stack === 'none') return undefined
  if (stack === 'large') return faultsFrom(await parseApart(fileName(path), source.text), source)
  const { errors } = loaded.parseSync(fileName(path), source.text)
  // What it holds outside of our heap is let go between turns of the event loop only.
  await new Promise((resume) => setImmediate(resume))
  return faultsFrom(errors, source)
}

let parser: Promise<typeof import('oxc-parser') | undefined> | undefined

interface ParserError {
  readonly severity: string
  readonly message: string
  readonly labels: readonly { readonly start: number }[]
}

const faultsFrom = (errors: readonly ParserError[] | undefined, source: Source): Fault[] | undefined =>
  errors
    ?.filter(({ severity }) => severity === 'Error')
    .map(({ message, labels }) => {
      const offset = labels[0]?.start ?? 0
      const line = source.lineAt(offset)
      const around = source.line(line).trim()
      return { line, column: offset - source.startOf(line) + 1, message, key: `${message} | ${around}` }
    })

/**
 * The parser calls itself for whatever is inside another, and where its stack ends so does the process. So the stack is
 * chosen by what there could be at most, all of it nested: brackets and the like take some 2 KB each, operators 200 bytes.
 */
export function stackFor(text: string): 'own' | 'large' | 'none' {
  let brackets = 0
  let operators = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isBracket[code]) brackets++
    else if (isOperator[code]) operators++
  }
  const bytes = 2400 * brackets + 200 * operators
  return bytes < 3.6 * mb ? 'own' : bytes < 0.9 * largeMb * mb ? 'large' : 'none'
}

const mb = 2 ** 20
const largeMb = 512
const among = (characters: string): boolean[] =>
  Array.from({ length: 128 }, (_, code) => characters.includes(String.fromCharCode(code)))
/** With the `>` of an arrow, and the `e` of `else`. */
const isBracket = among('[({<>?`')
const isOperator = among('!~+-*/%&|^.,:=;e')

let apart: Worker | undefined
let waiting: Promise<unknown> = Promise.resolve()

/** In a thread of its own, which has a stack of the size that is asked for. Undefined when it ended without an answer. */
function parseApart(name: string, text: string): Promise<readonly ParserError[] | undefined> {
  const answer = waiting.then(() => ask(name, text))
  waiting = answer.catch(() => undefined)
  return answer
}

async function ask(name: string, text: string): Promise<readonly ParserError[] | undefined> {
  const { ms, left } = timeLeft()
  const worker = (apart ??= await startApart())
  const late = AbortSignal.timeout(Math.min(Math.max(1, Math.ceil(left)), 2 ** 31 - 1))
  try {
    const answered = once(worker, 'message', { signal: late })
    const ended = once(worker, 'exit').then(() => undefined)
    worker.ref()
    worker.postMessage({ name, text })
    const [errors]: readonly ParserError[][] = (await Promise.race([answered, ended])) ?? []
    return errors
  } catch (error) {
    apart = undefined
    void worker.terminate()
    if (late.aborted) throw new Stop({ kind: 'too-complex', over: 'time', ms })
    throw error
  } finally {
    // It does not keep the process from ending.
    worker.unref()
  }
}

async function startApart(): Promise<Worker> {
  const { Worker } = await import('node:worker_threads')
  const workerData = createRequire(import.meta.url).resolve('oxc-parser')
  const worker = new Worker(code, { eval: true, workerData, resourceLimits: { stackSizeMb: largeMb } })
  worker.once('exit', () => (apart = apart === worker ? undefined : apart))
  return worker
}

const code = `
const { parentPort, workerData } = require('node:worker_threads')
const loading = import(require('node:url').pathToFileURL(workerData))
parentPort.on('message', async ({ name, text }) => {
  const { parseSync } = await loading
  const { errors } = parseSync(name, text)
  parentPort.postMessage(errors.map(({ severity, message, labels }) => ({ severity, message, labels: labels.map(({ start }) => ({ start })) })))
})
`

/** The extension decides what it takes the file for; without one it is JavaScript, as for node. */
const fileName = (path: string): string => (/\.[cm]?[jt]sx?$/.test(path) ? path : `${path}.js`)
