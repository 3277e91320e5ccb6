import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { approvalLine } from '../../packages/clada/src/approvals/approval-line.ts'
import { Approvals } from '../../packages/clada/src/approvals/approvals.ts'
import { keyNames } from '../../packages/clada/src/config/keys.ts'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { type Loaded, loadConfig } from '../../packages/clada/src/config/load.ts'
import { SettingsError } from '../../packages/clada/src/index.ts'
import { type Home, homeWith } from './project.ts'

interface Case {
  name: string
  user?: string
  project?: string
  trusted?: boolean
  link?: boolean
  values?: Record<string, unknown>
  /** How lists end. */
  ends?: Record<string, unknown[]>
  refused?: string[]
  errors?: string[]
  /** How complaints begin. */
  firstErrors?: string[]
}

const text = fs.readFileSync(new URL('./files.cases.json', import.meta.url), 'utf8')
const { cases } = JSON.parse(text) as { cases: Case[] }

const outcomeOf = async (project: string): Promise<Loaded | string[]> => {
  try {
    return await loadConfig(project)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message.split('\n')
  }
}

/** As a message lists them; a key that is added changes no case. */
const topKeys = [...new Set(keyNames.map((name) => name.split('.')[0]))].join(', ')

const filled = (value: unknown, { home, project }: Home): unknown =>
  JSON.parse(JSON.stringify(value), (_key, one: unknown) =>
    typeof one === 'string'
      ? one.replaceAll('{P}', withSlashes(project)).replaceAll('{H}', home).replaceAll('{KEYS}', topKeys)
      : one,
  )

/** Paths as they are shown. */
const shown = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, one: unknown) => (typeof one === 'string' ? withSlashes(one) : one))

describe('config files', () => {
  for (const { name, values = {}, ends = {}, refused, errors, firstErrors, ...files } of cases) {
    it(name, async () => {
      const at = homeWith(files)
      const outcome = await outcomeOf(at.project)
      if (Array.isArray(outcome)) {
        if (firstErrors !== undefined) {
          const wanted = filled(firstErrors, at) as string[]
          expect(wanted.map((start, index) => outcome[index]?.slice(0, start.length))).toEqual(wanted)
        } else expect(outcome).toEqual(filled(errors ?? [], at))
        return
      }
      expect(errors ?? firstErrors).toBeUndefined()
      const { merged } = outcome
      const found = new Map<string, unknown>(keyNames.map((key) => [key, merged[key].value]))
      expect(shown(Object.fromEntries(Object.keys(values).map((key) => [key, found.get(key)])))).toEqual(
        filled(values, at),
      )
      for (const [key, end] of Object.entries(ends))
        expect(shown((found.get(key) as unknown[]).slice(-end.length))).toEqual(filled(end, at))
      if (refused !== undefined) {
        expect(keyNames.filter((key) => merged[key].refused !== undefined)).toEqual(refused)
        expect(outcome.warnings.length).toBe(refused.length)
      }
    })
  }
})

describe('what stands in the place of a config file', () => {
  const wrong = async (make: (file: string) => void): Promise<string[]> => {
    const { project } = homeWith({})
    make(path.join(project, 'clada.yml'))
    const outcome = await outcomeOf(project)
    return Array.isArray(outcome) ? outcome : []
  }

  it('a directory', async () => {
    expect(await wrong((file) => fs.mkdirSync(file))).toEqual([
      'clada.yml:1:1: This is a directory, so it cannot be a config file.',
    ])
  })

  it('a link, wherever it leads', async () => {
    for (const target of ['../.config/other.yml', 'sub/a.txt', '/etc/passwd']) {
      expect(await wrong((file) => fs.symlinkSync(target, file))).toEqual([
        "clada.yml:1:1: This is a symbolic link, and a project's config must be a file of the project.",
      ])
    }
  })

  it('too much', async () => {
    expect(await wrong((file) => fs.writeFileSync(file, '#'.repeat(2 * 1024 * 1024)))).toEqual([
      'clada.yml:1:1: This file has 2097152 bytes; a config has at most 131072.',
    ])
  })

  it('more patterns than can be tried on every file', async () => {
    const patterns = Array.from({ length: 201 }, (_, at) => `"*a*a*a*a*${at}"`).join(', ')
    expect(await wrong((file) => fs.writeFileSync(file, `denied_patterns: [${patterns}]\n`))).toEqual([
      'clada.yml:1:18: denied_patterns must be at most 200 entries long; it is a list.',
    ])
    for (const key of ['before', 'after']) {
      const hooks = Array.from({ length: 101 }, () => '{run: x}').join(', ')
      const [first] = await wrong((file) => fs.writeFileSync(file, `hooks:\n  ${key}: [${hooks}]\n`))
      expect(first).toMatch(/^clada\.yml:2:\d+: hooks\.\w+ must be at most 100 entries long; it is a list\.$/)
    }
  })

  it('bytes that are no text', async () => {
    const bytes = Buffer.from('exec: off\nvars: {A: "é\xff"}\n', 'latin1')
    expect(await wrong((file) => fs.writeFileSync(file, bytes))).toEqual([
      'clada.yml:2:12: This is not valid UTF-8. Save the file as UTF-8.',
    ])
  })

  it('too many brackets, and quickly', async () => {
    for (const text of ['['.repeat(10_000), '{a: '.repeat(5_000), '- '.repeat(10_000), '? '.repeat(10_000)]) {
      const [first] = await wrong((file) => fs.writeFileSync(file, text))
      expect(first).toMatch(/^clada\.yml:\d+:\d+: /)
    }
  })
})

describe('commands that a project asks for', () => {
  it('need no further word once they are approved', async () => {
    const { project } = homeWith({ project: 'commands: {approve: [echo hi]}\n' })
    expect((await loadConfig(project)).warnings).toHaveLength(1)
    const approvals = new Approvals(project)
    const line = approvalLine(['echo', 'hi'], '')
    approvals.add(line)
    expect((await loadConfig(project)).warnings).toEqual([])
  })
})

describe('the user’s own file', () => {
  it('may be a link, as those who keep their files in a repository have it', async () => {
    const { home, project } = homeWith({})
    fs.mkdirSync(path.join(home, '.config/clada'), { recursive: true })
    fs.writeFileSync(path.join(home, 'elsewhere/dot.yml'), 'exec: unsandboxed\n')
    fs.symlinkSync(path.join(home, 'elsewhere/dot.yml'), path.join(home, '.config/clada/config.yml'))
    expect((await loadConfig(project)).merged['exec.mode']).toMatchObject({ value: 'unsandboxed', from: 'user' })
    // Where documents can write it, it only narrows.
    const inside = await loadConfig(path.join(home, 'elsewhere')).catch((error: unknown) => error)
    expect(inside).toMatchObject({ merged: { 'exec.mode': { value: 'sandbox', refused: { by: 'user' } } } })
  })

  it('only narrows where a link in the project decides which file it is', async () => {
    const { home, project } = homeWith({ link: true })
    fs.mkdirSync(path.join(home, 'elsewhere/clada'))
    fs.writeFileSync(path.join(home, 'elsewhere/clada/config.yml'), 'exec: unsandboxed\n')
    // `out` in the project leads to `elsewhere`.
    fs.symlinkSync('proj/out', path.join(home, '.config'))
    expect((await loadConfig(project)).merged['exec.mode']).toMatchObject({ value: 'sandbox', refused: { by: 'user' } })
  })

  it('only narrows where the project is the home directory', async () => {
    const { home } = homeWith({ user: 'exec: unsandboxed\nlimits: {file_bytes: 1m}\nhooks: {after: [{run: x}]}\n' })
    const { merged, warnings } = await loadConfig(home)
    expect(merged).toMatchObject({
      'exec.mode': { value: 'sandbox' },
      'limits.file_bytes': { value: 1024 * 1024 },
      'hooks.after': { value: [] },
    })
    expect(warnings[0]).toBe(
      `${withSlashes(home)}/.config/clada/config.yml:1: ignored exec.mode: "unsandboxed" (this file is inside the project); using exec.mode: "sandbox".`,
    )
  })

  it('may name the project that is meant', async () => {
    const { project } = homeWith({ user: 'root: ~/proj\n', project: 'exec: off\n' })
    expect(await loadConfig(undefined)).toMatchObject({ root: project, merged: { 'exec.mode': { value: 'off' } } })
  })
})
