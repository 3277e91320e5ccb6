import fs from 'node:fs'
import path from 'node:path'
import { isRecord } from './project-list.ts'
import { hash } from './vouchers.ts'

/** What a command line would run, where the project's own files say so: then an approval is for that and no more. */
export interface WhatRuns {
  /** Changes when what is run changes; null where nothing can be known. */
  readonly hash: string | null
  /** For the person who is asked. */
  readonly shown: string | undefined
  /** Whether it is for fetching things. */
  readonly network: boolean
}

export function whatRuns(words: readonly string[], cwd: string): WhatRuns {
  const text = textOf(words, cwd)
  return {
    hash: text === undefined ? null : hash(text.whole),
    shown: text?.shown,
    network: fetches.test(words.join(' ')),
  }
}

/** Commands that are of no use without the network. */
const fetches =
  /^(?:(?:npm|pnpm|bun) (?:i|install|ci|add|update|upgrade|audit|outdated)\b|yarn(?: (?:install|add|up|upgrade))?$|yarn (?:install|add|up|upgrade) |npx |bunx |pip3? install |python3? -m pip install |uv (?:sync|add|pip install|lock)|poetry (?:install|add|update)|pipenv (?:install|sync)|cargo (?:fetch|add|install|update)|go (?:mod download|get|install)|bundle install|gem install|composer (?:install|require|update)|mvn |gradle |\.\/gradlew )/

type Text = { readonly whole: string; readonly shown: string }

function textOf(words: readonly string[], cwd: string): Text | undefined {
  const [program = '', first = '', second = ''] = words
  if (/^(npm|pnpm|yarn|bun)$/.test(program)) return packageScript(program, first, second, cwd)
  if (program === 'make' || program === 'just')
    return wholeFile(cwd, program === 'make' ? ['GNUmakefile', 'makefile', 'Makefile'] : ['justfile', 'Justfile'])
  if (program.includes('/')) return wholeFile(cwd, [program])
  if (/^(node|python3?|ruby|bash|sh|deno|tsx)$/.test(program)) {
    const script = words.slice(1).find((word) => !word.startsWith('-') && word !== 'run')
    return script === undefined ? undefined : wholeFile(cwd, [script])
  }
  return undefined
}

function packageScript(program: string, first: string, second: string, cwd: string): Text | undefined {
  const scripts = scriptsIn(cwd)
  if (scripts === undefined) return undefined
  const lifecycle = /^(i|install|ci|add|update|upgrade)?$/.test(first) && (first !== '' || program === 'yarn')
  const name = first === 'run' || first === 'run-script' ? second : first === 't' ? 'test' : first
  const names = lifecycle
    ? ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']
    : [`pre${name}`, name, `post${name}`]
  const found = names.flatMap((one) => (scripts[one] === undefined ? [] : [`${one}: ${scripts[one]}`]))
  const main = scripts[name]
  if (found.length === 0)
    return { whole: '', shown: lifecycle ? 'no scripts of the project' : 'nothing: there is no such script' }
  return { whole: found.join('\n'), shown: found.length === 1 && main !== undefined ? main : found.join('; ') }
}

function scriptsIn(cwd: string): Record<string, string> | undefined {
  const text = readSmall(path.join(cwd, 'package.json'))
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const scripts = isRecord(value) && isRecord(value['scripts']) ? Object.entries(value['scripts']) : []
    return Object.fromEntries(scripts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch {
    return undefined
  }
}

function wholeFile(cwd: string, names: readonly string[]): Text | undefined {
  for (const name of names) {
    const text = readSmall(path.resolve(cwd, name))
    if (text !== undefined) return { whole: text, shown: `${name} (${text.length} characters)` }
  }
  return undefined
}

function readSmall(file: string): string | undefined {
  try {
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size < 5_000_000 ? fs.readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}
