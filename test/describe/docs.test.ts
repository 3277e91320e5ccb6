import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { modelActions } from '../../packages/clada/src/actions/registry.ts'
import { commands } from '../../packages/clada/src/cli/commands/list.ts'
import { flags } from '../../packages/clada/src/cli/flags.ts'
import { parseShamResponse } from '../../packages/clada/src/index.ts'

const root = path.join(import.meta.dirname, '../..')

describe('the generated pages', () => {
  it('are current', () => {
    const { stderr, status } = spawnSync(process.execPath, ['scripts/gen.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  })

  it('show blocks that can be carried out', async () => {
    const page = fs.readFileSync(path.join(root, 'docs/actions.md'), 'utf8')
    const { actions: found, errors } = await parseShamResponse(page)
    expect(errors).toEqual([])
    expect(found.length).toBe(modelActions().reduce((sum, { examples }) => sum + examples.length, 0))
  })
})

describe('the pages', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...markdownIn('docs'), ...markdownIn('test')]

  it('lead nowhere that is not there', () => {
    const dead = pages.flatMap((page) =>
      linksIn(page).flatMap((link) => {
        const [, file = '', anchor] = /^([^#]*)(?:#(.*))?$/.exec(link) ?? []
        const target = file === '' ? page : path.join(path.dirname(page), decodeURIComponent(file))
        if (!fs.existsSync(path.join(root, target))) return [`${page}: ${link}`]
        if (anchor === undefined || !target.endsWith('.md')) return []
        return anchorsIn(target).includes(anchor) ? [] : [`${page}: ${link} (no such heading)`]
      }),
    )
    expect(dead).toEqual([])
  })

  it('name no command or flag that clada lacks', () => {
    const known = new Set<string>(flags.map(({ name }) => name))
    const unknown = pages.flatMap((page) =>
      commandsIn(page).flatMap((line) => {
        // What follows `--` belongs to another program.
        const [words = ''] = line.split(/ -- | #|[|;]/, 1)
        const [, command = ''] = /^clada ([a-z]+)(?=$| )/.exec(words) ?? []
        const named = [...words.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/ --([a-z][a-z-]*)/g)].map(
          ([, flag = '']) => flag,
        )
        const bad = named.filter((flag) => !known.has(flag)).map((flag) => `${page}: --${flag} in ${line}`)
        return command === '' || command in commands ? bad : [...bad, `${page}: ${line}`]
      }),
    )
    expect(unknown).toEqual([])
  })

  it('send nobody to an address of ours: nothing is published', () => {
    const shipped = [
      ...pages,
      'packages/clada/schema/clada.schema.json',
      'packages/clada/src/config/sample.ts',
      'packages/clada/package.json',
    ]
    const sent = shipped.filter((file) => /unpkg\.com|jsdelivr\.net|npmjs\.com\/package\/clada\b/.test(textOf(file)))
    expect(sent).toEqual([])
  })
})

/** Commands in code spans and in fences of a shell. */
function commandsIn(page: string): string[] {
  const text = textOf(page)
  const spans = [...text.matchAll(/`(clada [^`\n]+)`/g)].map(([, span = '']) => span)
  const fences = [...text.matchAll(/^( *)```(?:sh|bash|console)\n([^]*?)^\1```$/gm)]
  const lines = fences.flatMap(([, , body = '']) => body.split('\n')).map((line) => line.trim().replace(/^\$ /, ''))
  return [...spans, ...lines.filter((line) => line.startsWith('clada '))]
}

const textOf = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8')

function markdownIn(dir: string): string[] {
  return fs
    .readdirSync(path.join(root, dir), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(dir, name))
    .filter((name) => name.endsWith('.md') && (dir === 'docs' || path.basename(name) === 'README.md'))
}

/** Without code: there `[a](b)` is no link. */
const proseOf = (page: string): string =>
  textOf(page)
    .replace(/^(`{3,}|~{3,})[^]*?^\1`*$/gm, '')
    .replace(/(`+)[^`][^]*?\1/g, '')

function linksIn(page: string): string[] {
  const prose = proseOf(page)
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const named = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)]
  return [...inline, ...named].flatMap(([, link]) => (link === undefined || /^[a-z]+:/.test(link) ? [] : [link]))
}

/** As code hosts make them from headings: small letters, no punctuation, blanks as dashes, a number where one comes again. */
function anchorsIn(page: string): string[] {
  const seen = new Map<string, number>()
  const whole = textOf(page).replace(/^(`{3,}|~{3,})[^]*?^\1`*$/gm, '')
  return [...whole.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}
