import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Clada } from '../../src/index.ts'
import type { ExecutionResult } from '../../src/core/result.ts'
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

async function executed(reply: string): Promise<ExecutionResult> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-replies-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      fs.writeFileSync(path.join(root, name), text)
    }
    return await new Clada({ repoPath: root, gitCommit: false }).execute(reply.replaceAll('ROOT', root))
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

/** One word for each block, marker or mistake that is not of a native syntax. */
const outcomeOf = ({ results, parseErrors, notExecuted = [] }: ExecutionResult): string =>
  [
    ...results.filter(({ syntax }) => syntax !== 'sham').map(({ code, success }) => (success ? 'done' : (code ?? ''))),
    ...parseErrors.map(({ code }) => code ?? ''),
    ...new Set(notExecuted.map(({ reason }) => reason)),
  ].join(', ')
