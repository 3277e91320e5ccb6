import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { formatCount } from '@clada/reply/core/words.ts'
import { Clada } from '../../api/clada.ts'
import type { CladaOptions } from '../../config/settings.ts'
import { withSlashes } from '../../core/paths.ts'
import { messageOf } from '../../core/errors.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import type { ExecutionResult } from '../../core/result.ts'
import { spellOut } from '../../report/words.ts'
import { type Case, readCases } from '../cases/read-cases.ts'
import type { Command } from '../command.ts'
import { general, UsageError } from '../flags.ts'
import { print } from '../streams.ts'

/** Runs documents with their expected results, as the author of the language tested his. */
export const command: Command = {
  name: 'cases',
  group: 'agents',
  usage: 'clada cases DIR|FILE…',
  summary: 'run .cases.md files: documents with their expected results',
  about:
    'A case is a heading with fences below it: one with the document, a json fence with fields of the expected result,\nand any number of "before PATH" and "after PATH" fences with files. Each case runs in an empty directory, which is /ROOT in its\ntexts. Expected fields must be equal; others are not looked at. With "results" the whole execution is compared,\notherwise the last result.',
  flags: ['allow', 'exec', ...general],
  examples: [
    ['clada cases test/', 'every .cases.md file below test'],
    ['clada cases edits.cases.md --allow /tmp', 'documents that name files in /tmp'],
  ],
  run: async ({ flags, words }) => {
    if (words.length === 0) throw new UsageError('cases needs a file or a directory: clada cases DIR')
    const files = words.flatMap(caseFilesIn)
    const options: CladaOptions = {
      allowedRoots: flags.allow ?? [],
      exec: flags.exec?.[0] === 'unsandboxed' ? 'unsandboxed' : undefined,
    }
    let [count, passed] = [0, 0]
    for (const file of files) {
      for (const one of readCases(fs.readFileSync(file, 'utf8'))) {
        count++
        const wrong = await runCase(one, options)
        if (wrong.length === 0) passed++
        else print(spellOut([`✗ ${file}:${one.line} ${one.name}`, ...wrong.map((line) => `    ${line}`)].join('\n')))
      }
    }
    if (count === 0) throw new UsageError(`There are no cases in ${words.join(', ')}.`)
    print(`${passed} of ${formatCount(count, 'case')} passed`)
    return passed === count ? 0 : 1
  },
}

function caseFilesIn(given: string): string[] {
  if (!fs.existsSync(given)) throw new UsageError(`${given} does not exist.`)
  if (!fs.statSync(given).isDirectory()) return [given]
  const names = fs.readdirSync(given, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.cases.md') && !name.includes('node_modules'))
    .sort()
    .map((name) => path.join(given, name))
}

/** What differs from what was expected. */
async function runCase(one: Case, options: CladaOptions): Promise<string[]> {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-case-')))
  const here = (text: string): string => text.replaceAll('/ROOT', withSlashes(root))
  try {
    for (const [name, text] of one.before) {
      const file = pathInside(root, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, here(text))
    }
    const expected: unknown = JSON.parse(here(one.expected))
    const done = await new Clada({ ...options, repoPath: root, git: 'off' }).execute(here(one.document))
    const actual = isRecord(expected) && 'results' in expected ? done : lastResult(done)
    const files = [...one.after].flatMap(([name, text]) => {
      const file = pathInside(root, name)
      const now = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined
      return now === here(text) || now === `${here(text)}\n`
        ? []
        : [`${name}: ${JSON.stringify(now)}, expected ${JSON.stringify(here(text))}`]
    })
    return [...differences(actual, expected, ''), ...files]
  } catch (error) {
    return [messageOf(error)]
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

/** A block that could not be read has no result, and its error is the answer. */
const lastResult = ({ results, parseErrors, fatalError }: ExecutionResult): unknown =>
  results.at(-1) ?? { success: false, error: fatalError ?? parseErrors.at(-1)?.message }

function pathInside(root: string, name: string): string {
  const file = path.resolve(root, name)
  if (!file.startsWith(root + path.sep)) throw new UsageError(`${name} is outside the directory of the case.`)
  return file
}

/** Expected fields that are missing or other than expected. Lists are compared as a whole. */
function differences(actual: unknown, expected: unknown, at: string): string[] {
  if (isRecord(actual) && isRecord(expected))
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(actual[name], value, at === '' ? name : `${at}.${name}`),
    )
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length === expected.length)
    return expected.flatMap((value, index) => differences(actual[index], value, `${at}[${index}]`))
  if (isDeepStrictEqual(actual, expected)) return []
  return [`${at}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`]
}
