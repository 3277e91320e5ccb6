import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const actions = allActions()

/** Every successful example of every action that writes, each in a directory of its own. */
const examples = actions
  .filter(({ effect }) => effect === 'write')
  .flatMap((spec) => spec.examples.map((example) => ({ spec, ...example })))
  .filter(({ code, before = {} }) => code === undefined && !Object.keys(before).some((name) => name.startsWith('.')))
  .map((example, at) => ({ ...example, dir: `e${at}` }))

/** These write a whole file as the document has it; the others change or move what was there. */
const whole = new Set(['file_write', 'file_create'])

/** The examples themselves are tested with LF elsewhere, and long paths are special on Windows only. */
const variants =
  process.platform === 'win32'
    ? (['LF', 'CRLF', 'BOM', 'read-only', 'long path'] as const)
    : (['CRLF', 'BOM', 'read-only'] as const)

describe.each(variants)('every action that writes, %s', (variant) => {
  it('leaves the files as its examples say, and undo and redo restore them exactly', async () => {
    const top = scratchDir()
    const root = variant === 'long path' ? path.join(top, ...Array<string>(5).fill('d'.repeat(60))) : top
    fs.mkdirSync(root, { recursive: true })
    for (const { dir, before = {} } of examples) {
      for (const [name, text] of Object.entries(before)) {
        const file = path.join(root, dir, name)
        fs.mkdirSync(path.dirname(file), { recursive: true })
        fs.writeFileSync(file, asIn(variant, text), { mode: variant === 'read-only' ? 0o444 : 0o644 })
      }
    }
    const before = filesIn(root)
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const { results, parseErrors } = await clada.execute(examples.map((example) => blockOf(example, root)).join('\n'))
    expect(parseErrors).toEqual([])
    const after = filesIn(root)
    if (variant === 'read-only') {
      const refused = results.filter(({ success }) => !success)
      expect(refused.length).toBeGreaterThan(20)
      expect(new Set(refused.map(({ code }) => code?.toLowerCase()))).toEqual(new Set(['permission_denied']))
      const kept = Object.keys(before).filter((name) => name in after)
      expect(kept.map((name) => after[name])).toEqual(kept.map((name) => before[name]))
    } else {
      expect(results.filter(({ success }) => !success)).toEqual([])
      expect(after).toEqual(expected(variant))
    }
    if (variant === 'long path') expect(path.join(root, 'e0').length).toBeGreaterThan(300)

    expect(await clada.undo()).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual(before)
    expect(await clada.redo()).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual(after)
    // Directories with read-only files can be removed, but Windows wants them writable.
    for (const name of Object.keys(after)) fs.chmodSync(path.join(root, name), 0o644)
  })
})

type Variant = 'LF' | 'CRLF' | 'BOM' | 'read-only' | 'long path'

function asIn(variant: Variant, text: string): string {
  if (variant === 'CRLF') return text.replace(/\r?\n/g, '\r\n')
  return variant === 'BOM' ? `\ufeff${text}` : text
}

function expected(variant: Variant): Record<string, string> {
  return Object.fromEntries(
    examples.flatMap(({ spec, dir, params, before = {}, after = {} }) =>
      Object.entries({ ...before, ...after }).flatMap(([name, text]) => {
        if (text === null) return []
        // A file of one line says nothing about line endings.
        const edited = name in before && !whole.has(spec.name) && (variant !== 'CRLF' || before[name]?.includes('\n'))
        const fromOld = !(name in after) || 'new_path' in params || edited
        return [[`${dir}/${name}`, fromOld ? asIn(variant, text) : text] as const]
      }),
    ),
  )
}

function blockOf({ spec, params, dir }: (typeof examples)[number], root: string): string {
  const placed = (value: string): string => path.resolve(root, dir, value)
  const lines = Object.entries(params).map(([name, value]) => {
    const { format } = spec.params[name] ?? {}
    const text =
      format === 'absolute_path'
        ? placed(value)
        : format === 'multiline_absolute_paths'
          ? value
              .split('\n')
              .map((line) => (line.trim() === '' ? '' : placed(line.trim())))
              .join('\n')
          : value
    return `${name} = <<'EOT_SHAM_exa'\n${text}\nEOT_SHAM_exa`
  })
  return [`#!SHAM [@three-char-SHA-256: exa]`, `action = "${spec.name}"`, ...lines, '#!END_SHAM_exa', ''].join('\n')
}
