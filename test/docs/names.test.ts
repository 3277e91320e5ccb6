import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { parameterAliases } from '../../packages/clada/src/actions/decode.ts'
import { registry } from '../../packages/clada/src/actions/registry.ts'
import { checkArgs, type Command } from '../../packages/clada/src/cli/command.ts'
import { allCommands } from '../../packages/clada/src/cli/commands/list.ts'
import { flags, UsageError } from '../../packages/clada/src/cli/flags.ts'
import { keyNames } from '../../packages/clada/src/config/keys.ts'
import { groups } from '../../packages/clada/src/config/nested-config.ts'
import { toolList } from '../../packages/clada/src/mcp/document-tools.ts'
import { codes } from '../../packages/reply/src/core/codes.ts'

/** Whatever a page names must exist: commands with their flags, keys, actions, scripts, files and links. */
const root = path.join(import.meta.dirname, '../..')
const textOf = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8')
const markdownIn = (dir: string): string[] =>
  fs
    .readdirSync(path.join(root, dir), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${dir}/${name.replaceAll('\\', '/')}`)
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'packages/vscode/README.md',
  ...markdownIn('docs'),
  ...markdownIn('test').filter((page) => path.basename(page) === 'README.md'),
].map((page) => ({ page, text: textOf(page) }))

/** Flags, actions and parameters of other programs that the pages name. */
const ofOthers = new Set(
  '--git-dir --no-sandbox --disable-userns --shared --liftoff-only --wasm-tier-up-filter replace_in_file write_to_file insert_content git_auto_push file_lines_replace files_replace_text_in_parents git.exe'.split(
    ' ',
  ),
)

/** What a page shows as code: spans, and the lines of fences and indented blocks. */
function codeIn(text: string): string[] {
  const fences = [...text.matchAll(/^( *)(```|~~~~?)(\w*)[^\n]*\n([^]*?)^\1\2$/gm)]
  const prose = fences.reduce((rest, [fence]) => rest.replace(fence, ''), text)
  return [
    ...fences
      .filter(([, , , language = '']) => ['sh', 'bash', 'console'].includes(language))
      .flatMap(([, , , , body = '']) => body.split('\n').map((line) => line.trim().replace(/^\$ /, ''))),
    ...[...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code),
    ...[...prose.matchAll(/^(?: {4,}|\t)(\S.*)$/gm)].map(([, line = '']) => line),
  ].map((line) => line.trim())
}

/** The named problems of all pages, of which there should be none. */
const problems = (check: (code: string) => string | undefined): string[] =>
  pages.flatMap(({ page, text }) =>
    codeIn(text).flatMap((code) => {
      const problem = check(code)
      return problem === undefined ? [] : [`${page}: ${code}: ${problem}`]
    }),
  )

describe('the pages name only what exists', () => {
  it('commands, with flags that they have', async () => {
    const commands = new Map((await allCommands()).map((command) => [command.name, command] as const))
    expect(problems((code) => problemOfCall(code, commands))).toEqual([])
  })

  it('flags', () => {
    const known = new Set([...flags.map(({ name }) => `--${name}`), ...ofOthers])
    expect(
      problems((code) => {
        const flag = flagsIn(code).find((one) => !known.has(one))
        return flag === undefined ? undefined : `no such flag as ${flag}`
      }),
    ).toEqual([])
  })

  it('config keys', () => {
    expect(
      problems((code) => {
        const [, name = '', group = ''] = /^(([a-z_]+)\.[a-z_.]+)(?::.*)?$/.exec(code) ?? []
        if (!Object.hasOwn(groups, group) || ofOthers.has(name)) return undefined
        return keyNames.some((key) => key === name || key.startsWith(`${name}.`)) ? undefined : 'no such key'
      }),
    ).toEqual([])
  })

  it('actions', () => {
    const first = new Set([...registry.keys()].filter((name) => name.includes('_')).map((name) => name.split('_')[0]))
    const others = new Set<string>([...Object.keys(codes), ...keyNames.flatMap((name) => name.split('.'))])
    const parameters = new Set([...registry.values()].flatMap(({ params }) => Object.keys(params)))
    for (const names of Object.values(parameterAliases)) for (const name of names) parameters.add(name)
    expect(
      problems((code) => {
        const [name] = /^[a-z]+(?:_[a-z]+)+$/.exec(code) ?? []
        if (name === undefined || !first.has(name.split('_')[0])) return undefined
        return [registry, others, parameters, ofOthers].some((known) => known.has(name)) ? undefined : 'no such action'
      }),
    ).toEqual([])
  })

  it('tools and actions that a sentence calls so', () => {
    const known = new Set<string>([...registry.keys(), ...toolList([...registry.values()]).map(({ name }) => name)])
    const named = pages.flatMap(({ page, text }) =>
      [/\b(?:[Tt]ool|[Aa]ction)s? `([a-z_]+)`/g, /`([a-z_]+)` (?:tool|action)s?\b/g].flatMap((pattern) =>
        [...text.matchAll(pattern)].map(([, name = '']) => ({ page, name })),
      ),
    )
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter(({ name }) => !known.has(name) && !ofOthers.has(name))).toEqual([])
  })

  it('scripts of package.json', () => {
    expect(
      problems((code) => {
        const [, script] = /^npm run (?:--silent )?([\w:-]+)/.exec(code) ?? []
        return script === undefined || Object.hasOwn(manifest.scripts, script) ? undefined : 'no such script'
      }),
    ).toEqual([])
  })

  it('files of the repository', () => {
    expect(
      problems((code) => {
        if (!/^(?:packages\/(?:reply|clada|page|browser|vscode)|scripts|bench|examples|docs)\/[\w./-]+$/.test(code))
          return undefined
        return code.includes('/dist/') || fs.existsSync(path.join(root, code)) ? undefined : 'no such file'
      }),
    ).toEqual([])
  })

  it('pages and headings that they link to', () => {
    const broken = pages.flatMap(({ page, text }) =>
      linksIn(text).flatMap((link) => {
        const [, file = '', heading] = /^([^#]*)(?:#(.*))?$/.exec(link) ?? []
        const target = file === '' ? page : path.posix.join(path.posix.dirname(page), decodeURIComponent(file))
        if (!fs.existsSync(path.join(root, target))) return [`${page}: ${link}`]
        if (heading === undefined || !target.endsWith('.md')) return []
        return anchorsIn(textOf(target)).includes(heading) ? [] : [`${page}: ${link} (no such heading)`]
      }),
    )
    expect(broken).toEqual([])
  })

  it('no address of ours: nothing is published', () => {
    const shipped = [
      ...pages.map(({ page }) => page),
      'packages/clada/schema/clada.schema.json',
      'packages/clada/src/config/sample.ts',
      'packages/clada/package.json',
    ]
    const sent = shipped.filter((file) => /unpkg\.com|jsdelivr\.net|npmjs\.com\/package\/clada\b/.test(textOf(file)))
    expect(sent).toEqual([])
  })
})

/** One that stands alone, and those of a call of clada. What follows `--` there belongs to another program. */
function flagsIn(code: string): string[] {
  const [alone] = /^--[a-z][a-z0-9-]*/.exec(code) ?? []
  if (alone !== undefined) return [alone]
  const [call = ''] = code.startsWith('clada ') ? code.split(/ -- | #|[|;]/, 1) : []
  const words = call.replace(/"[^"]*"|'[^']*'/g, '')
  return [...words.matchAll(/ (--[a-z][a-z0-9-]*)/g)].map(([, flag = '']) => flag)
}

/** What is wrong with a call of clada, if it is one. */
function problemOfCall(code: string, commands: ReadonlyMap<string, Command>): string | undefined {
  const [, call] = /^clada ((?:[^#|<>&\n…]|<\w)*)/.exec(code) ?? []
  if (call === undefined) return undefined
  const words = [...call.split(/ -- |  /, 1)[0]!.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) => word)
  const [name = ''] = words
  const command = commands.get(/^[a-z]+$/.test(name) ? name : 'run')
  if (command === undefined) return 'no such command'
  for (const [, flag = ''] of words
    .filter((word) => !/^["']/.test(word))
    .join(' ')
    .matchAll(/(?<![\w"'-])--([a-z][a-z0-9-]*)/g)) {
    try {
      checkArgs(command, { flags: { [flag]: [''] }, words: [] })
    } catch (error) {
      if (error instanceof UsageError) return error.message
      throw error
    }
  }
  return undefined
}

/** Without code: there `[a](b)` is no link. */
const proseOf = (text: string): string =>
  text.replace(/^(`{3,}|~{3,})[^]*?^\1`*$/gm, '').replace(/(`+)[^`][^]*?\1/g, '')

function linksIn(text: string): string[] {
  const prose = proseOf(text)
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const named = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)]
  return [...inline, ...named].flatMap(([, link]) => (link === undefined || /^[a-z]+:/.test(link) ? [] : [link]))
}

/** As code hosts make them from headings: small letters, no punctuation, blanks as dashes, a number where one comes again. */
function anchorsIn(text: string): string[] {
  const seen = new Map<string, number>()
  const whole = text.replace(/^(`{3,}|~{3,})[^]*?^\1`*$/gm, '')
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
