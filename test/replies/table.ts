import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Clada } from '../../packages/clada/src/index.ts'
import type { ExecutionResult } from '../../packages/clada/src/core/result.ts'
import { cases, files, forms } from './forms.ts'

/** What becomes of each form in each case, as a table. */
export async function table(): Promise<{ readonly text: string; readonly dropped: number }> {
  const kinds = Object.keys(cases)
  const rows = [`| form | ${kinds.join(' | ')} |`, `|---|${kinds.map(() => '---|').join('')}`]
  let dropped = 0
  for (const [name, form] of Object.entries(forms)) {
    const cells: string[] = []
    for (const make of Object.values(cases)) {
      const reply = make(form)
      const told = reply === undefined ? '–' : outcomeOf(await executed(reply))
      if (told === '') dropped++
      cells.push(told === '' ? '**nothing**' : told)
    }
    rows.push(`| ${name} | ${cells.join(' | ')} |`)
  }
  return { text: rows.join('\n'), dropped }
}

/** Runs each reply whole, and through a stream in two parts for every place to split it; counts those that differ. */
export async function splits(): Promise<{ readonly text: string; readonly differ: number }> {
  let runs = 0
  const differing: string[] = []
  for (const [name, form] of Object.entries(forms)) {
    for (const [kind, make] of Object.entries(cases)) {
      const reply = make(form)
      if (reply === undefined) continue
      const whole = tellingOf(await executed(reply))
      for (let at = 1; at < reply.length; at++, runs++) {
        if (tellingOf(await executed(reply, at)) !== whole) differing.push(`${name}, ${kind}, split at ${at}`)
      }
    }
  }
  const text = `${runs} runs through a stream, ${differing.length} with another result\n${differing.join('\n')}`
  return { text: text.trimEnd(), differ: differing.length }
}

/** Without what differs from run to run. */
const tellingOf = ({ root, ...result }: ExecutionResult): string =>
  JSON.stringify(result, (key, value) => (key === 'durationMs' ? undefined : value)).replaceAll(root ?? '', '')

async function executed(reply: string, split?: number): Promise<ExecutionResult> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-replies-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      fs.writeFileSync(path.join(root, name), text)
    }
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const text = reply.replaceAll('ROOT', root)
    if (split === undefined) return await clada.execute(text)
    return await clada.executeStream(parts(text, split))
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

async function* parts(text: string, split: number): AsyncIterable<string> {
  yield text.slice(0, split)
  yield text.slice(split)
}

/** One word for each block, marker or mistake that is not of a native syntax. */
const outcomeOf = ({ results, parseErrors, notExecuted = [] }: ExecutionResult): string =>
  [
    ...results.filter(({ syntax }) => syntax !== 'sham').map(({ code, success }) => (success ? 'done' : (code ?? ''))),
    ...parseErrors.map(({ code }) => code ?? ''),
    ...new Set(notExecuted.map(({ reason }) => reason)),
  ].join(', ')
