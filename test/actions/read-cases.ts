import type { CladaOptions } from '../../packages/clada/src/index.ts'
import { type Need, needOf } from '../support/needs.ts'

/** A case as its markdown says it. The form is described in `README.md`. */
export interface Case {
  group: string
  name: string
  document: string
  /** The program is known to be wrong here. */
  bug: string | undefined
  /** Programs that it starts. */
  needs: Need[]
  result: Expected | undefined
  results: Expected[] | undefined
  parseError: Expected | undefined
  options: CladaOptions
  before: Piece[]
  after: Piece[]
}

export type Expected = Record<string, unknown>

export interface Piece {
  path: string
  body: string
  flags: string[]
}

/** @throws with the line, when a case is not written as it should be. */
export function readCases(markdown: string, place: (text: string) => string): Case[] {
  const cases: Case[] = []
  let group = ''
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const current = cases.at(-1)
    if (line.startsWith('## ')) group = line.slice(3)
    else if (line.startsWith('### ')) cases.push(emptyCase(group, line.slice(4)))
    else if (current !== undefined && line.startsWith('Known bug: ')) current.bug = line.slice(11)
    else if (current !== undefined && line.startsWith('Needs: '))
      current.needs.push(...line.slice(7).split(', ').map(needOf))
    else if (line.startsWith('```')) {
      if (current === undefined) throw new Error(`line ${at + 1}: a fence before the first case`)
      const [, marks = '', info = ''] = /^(`+)(.*)$/.exec(line) ?? []
      const end = lines.indexOf(marks, at + 1)
      if (end === -1) throw new Error(`line ${at + 1}: a fence without an end`)
      const body = lines.slice(at + 1, end)
      take(current, info, place(body.map((text) => `${text}\n`).join('')), at + 1)
      at = end
    }
  }
  return cases
}

function emptyCase(group: string, name: string): Case {
  return {
    group,
    name,
    document: '',
    bug: undefined,
    needs: [],
    result: undefined,
    results: undefined,
    parseError: undefined,
    options: {},
    before: [],
    after: [],
  }
}

function take(current: Case, info: string, body: string, line: number): void {
  const [, kind, path = '', flags = ''] = /^(before|after) (.+?)(?: \(([^()]*)\))?$/.exec(info) ?? []
  if (kind === 'before' || kind === 'after') {
    current[kind].push({ path, body, flags: flags === '' ? [] : flags.split(', ') })
    return
  }
  switch (info) {
    case 'sh sham':
      current.document = body
      return
    case 'json':
      current.result = JSON.parse(body) as Expected
      return
    case 'json results':
      current.results = JSON.parse(body) as Expected[]
      return
    case 'json parse-error':
      current.parseError = JSON.parse(body) as Expected
      return
    case 'json options':
      current.options = JSON.parse(body) as CladaOptions
      return
    default:
      throw new Error(`line ${line}: a fence of an unknown kind '${info}'`)
  }
}
