import path from 'node:path'
import { sha256 } from '../core/hash.ts'
import { packageScripts } from './package-scripts.ts'
import { readSmall, type Text } from './text.ts'

/** What a command line would run, where the project's own files say so: then an approval is for that and no more. */
export interface WhatRuns {
  /** Changes when what is run changes; null where nothing can be known. */
  readonly hash: string | null
  /** For the person who is asked. */
  readonly shown: string | undefined
  /** Whether it is for fetching things. */
  readonly network: boolean
}

export function whatRuns(words: readonly string[], cwd: string, root: string): WhatRuns {
  const text = textOf(words, cwd, root)
  return {
    hash: text === undefined ? null : sha256(text.whole),
    shown: text?.shown,
    network: fetches.test(words.join(' ')),
  }
}

/** Commands that are of no use without the network. */
const fetches =
  /^(?:(?:npm|pnpm|bun) (?:i|install|ci|add|update|upgrade|audit|outdated)\b|yarn(?: (?:install|add|up|upgrade))?$|yarn (?:install|add|up|upgrade) |npx |bunx |pip3? install |python3? -m pip install |uv (?:sync|add|pip install|lock)|poetry (?:install|add|update)|pipenv (?:install|sync)|cargo (?:fetch|add|install|update)|go (?:mod download|get|install)|bundle install|gem install|composer (?:install|require|update)|mvn |gradle |\.\/gradlew )/

function textOf(words: readonly string[], cwd: string, root: string): Text | undefined {
  const [program = '', ...rest] = words
  if (/^(npm|pnpm|yarn|bun)$/.test(program)) return packageScripts(program, rest, cwd, root)
  if (program === 'make') return filesNamed(rest, cwd, ['GNUmakefile', 'makefile', 'Makefile'])
  if (program === 'just') return filesNamed(rest, cwd, ['justfile', 'Justfile'])
  if (program.includes('/')) return filesNamed(words, cwd)
  if (/^(node|python3?|ruby|bash|sh|deno|tsx)$/.test(program)) return filesNamed(rest, cwd)
  return undefined
}

/**
 * All files among the words of a command, as values of options too: which of them is run is for the program to know.
 * Some programs have files that they take unnamed, from where they start or from a directory that they are given.
 */
function filesNamed(words: readonly string[], cwd: string, unnamed: readonly string[] = []): Text | undefined {
  const places = words.flatMap((word) => [word, word.slice(word.indexOf('=') + 1), word.replace(/^-[A-Za-z]/, '')])
  const names = [...unnamed, ...places, ...places.flatMap((place) => unnamed.map((one) => path.join(place, one)))]
  const found = [...new Set(names)].flatMap((name) => {
    const text = readSmall(path.resolve(cwd, name))
    return text === undefined ? [] : [{ name, text }]
  })
  if (found.length === 0) return undefined
  return {
    whole: JSON.stringify(found.map(({ name, text }) => [name, text])),
    shown: found.map(({ name, text }) => `${name} (${text.length} characters)`).join(', '),
  }
}
