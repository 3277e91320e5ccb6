import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ActionSpec, Example } from '../core/action.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import type { ActionResult } from '../core/result.ts'
import { Clada } from './clada.ts'

/** Runs the examples of an action, each in a temporary project. Returns a sentence for each thing that is not as it says. */
export async function checkExamples(action: ActionSpec): Promise<readonly string[]> {
  const differences: string[] = []
  for (const example of action.examples) {
    const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-example-')))
    try {
      const found = await differencesIn(action, example, root)
      differences.push(...found.map((difference) => `${example.title}: ${difference}`))
    } finally {
      fs.rmSync(root, { recursive: true, force: true })
    }
  }
  return differences
}

async function differencesIn(action: ActionSpec, example: Example, root: string): Promise<string[]> {
  const { before = {}, earlier = [], params, after = {}, data, code } = example
  const clada = new Clada({ repoPath: root, git: 'off', actions: [action] })
  for (const [file, content] of Object.entries(before)) await clada.perform('file_write', { path: file, content })
  for (const call of earlier) await clada.perform(call.action, call.params)
  const { results, fatalError, parseErrors } = await clada.perform(action.name, params)
  const [result] = results
  if (result === undefined) return [fatalError ?? parseErrors[0]?.message ?? 'it did not run']
  const files = await Promise.all(
    Object.entries({ ...before, ...after }).map(async ([file, text]) => fileDifference(clada, file, text)),
  )
  return [...resultDifferences(result, code, withRoot(data, root)), ...files.flat()]
}

function resultDifferences({ success, code, error, data }: ActionResult, expected: unknown, wanted: unknown): string[] {
  if (expected !== undefined) return code === expected ? [] : [`the code is ${code ?? 'none'} instead of ${expected}`]
  if (!success) return [`it failed: ${error}`]
  return holdsExpected(data, wanted) ? [] : [`data is ${JSON.stringify(data)}`]
}

async function fileDifference(clada: Clada, file: string, expected: string | null): Promise<string[]> {
  const { results } = await clada.perform('file_read', { path: file })
  const data = results[0]?.data
  const text = isRecord(data) && typeof data['content'] === 'string' ? data['content'] : null
  return text === expected ? [] : [`${file} is ${JSON.stringify(text)} afterwards`]
}

/** Whether a value has every field of the expected one. */
const holdsExpected = (value: unknown, expected: unknown): boolean =>
  isRecord(expected)
    ? isRecord(value) && Object.entries(expected).every(([name, one]) => holdsExpected(value[name], one))
    : expected === undefined || isDeepStrictEqual(value, expected)

function withRoot(data: unknown, root: string): unknown {
  return data === undefined
    ? undefined
    : JSON.parse(JSON.stringify(data).replaceAll('ROOT', root.replaceAll('\\', '/')))
}
