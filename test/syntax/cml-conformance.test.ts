import { chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Block } from '../../src/core/block.ts'
import { Clada } from '../../src/index.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { readCml } from './cml-read.ts'

interface Case {
  suite: string
  name: string
  kind: 'cml-parse' | 'edit-execute' | 'write-execute'
  input: unknown
  given?: string
  expected: object
  not_binding?: string
}

const file = new URL('../conformance/cml.json', import.meta.url)
const isCase = (value: unknown): value is Case => typeof value === 'object' && value !== null && 'kind' in value
const { cases }: { cases: unknown[] } = JSON.parse(readFileSync(file, 'utf8'))
const all = cases.filter(isCase)
for (const one of all.filter((c) => c.kind !== 'cml-parse').slice(0, 0)) console.log(one)

describe('x', () => {
  test.each(all.filter((c) => c.kind !== 'cml-parse'))('$name', async (c) => {
    const dir = scratchDir()
    const input = c.input as any
    for (const [, name, content] of (c.given ?? '').matchAll(/(?:Given: |Precondition: `\/app\/)([^`\s]+)`? (?:contains|exists with content) (".*")/g)) fill(dir, { [name as string]: JSON.parse(content as string) })
    if (c.given?.includes('is a symlink') || c.given?.includes('is symlink')) symlinkSync('/etc/secret', path.join(dir, 'link.txt'))
    if (c.given?.includes('is a directory')) mkdirSync(path.join(dir, 'existing-dir'))
    const [action, params] = c.kind === 'write-execute' ? [input.append ? 'file_append' : 'file_write', { path: input.path, content: input.content, ...(input.append ? {new_line: 'true'} : {}) }]
     : input.mode === 'exact' ? ['file_edit', { path: input.path, old_text: input.search, new_text: input.replace, count: String(input.count) }]
     : ['file_replace_text_range', { path: input.path, old_text_beginning: input.searchStart, old_text_end: input.searchEnd, new_text: input.replace, count: String(input.count) }]
    const r = await new Clada({ repoPath: dir, gitCommit: false }).perform(action, params)
    console.log(c.kind, c.name, JSON.stringify(c.expected), '=>', JSON.stringify({s: r.results[0]?.success, e: r.results[0]?.error, c: r.results[0]?.code, d: (r.results[0] as any)?.details, p: r.parseErrors, f: r.fatalError}).slice(0,300))
  })
})
void chmodSync; void expect; void readCml; type _ = Block
