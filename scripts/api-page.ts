import { type Exported, folderOf, type SourceFile } from './sources.ts'

/** docs/API.md: what the package exports, then for each folder what it needs and what it offers. */
export function apiPage(sources: readonly SourceFile[]): string {
  const top = sources.filter(({ file }) => folderOf(file) === file && file !== 'index.ts')
  const folders = [...new Set(sources.map(({ file }) => folderOf(file)))].filter((folder) => !folder.endsWith('.ts'))
  return [
    '# API',
    '',
    "What `import … from 'clada'` gives, and for each folder of `src/` what it imports and exports.",
    '',
    ...publicSection(sources),
    ...folders.flatMap((folder) => folderSection(folder, sources)),
    ...top.flatMap((source) => section(source.file, [source])),
  ].join('\n')
}

function publicSection(sources: readonly SourceFile[]): string[] {
  const index = sources.find(({ file }) => file === 'index.ts')
  const rows = (index?.reexports ?? []).map(({ name, from }) => {
    const origin = sources.find(({ file }) => file === from)?.exports.find((exported) => exported.name === name)
    return row([`\`${name}\``, origin?.kind ?? '', `\`${from}\``, cell(origin?.doc ?? '')])
  })
  return ['## clada', '', ...importLine(index === undefined ? [] : [index]), ...table('from', rows)]
}

const folderSection = (folder: string, sources: readonly SourceFile[]): string[] =>
  section(
    `${folder}/`,
    sources.filter(({ file }) => folderOf(file) === folder),
  )

function section(title: string, sources: readonly SourceFile[]): string[] {
  const rows = sources.flatMap(({ file, exports }) => exports.map((exported) => exportRow(file, exported)))
  return [`## ${title}`, '', ...importLine(sources), ...table('file', rows)]
}

const exportRow = (file: string, { name, kind, doc }: Exported): string =>
  row([`\`${name}\``, kind, `\`${file.slice(file.indexOf('/') + 1)}\``, cell(doc)])

/** Where the imports of some files lead, their own folder left out. */
function importLine(sources: readonly SourceFile[]): string[] {
  const own = new Set(sources.map(({ file }) => folderOf(file)))
  const all = new Set(sources.flatMap(({ imports }) => imports))
  const isOutside = (name: string): boolean => name.startsWith('node:') || !name.endsWith('.ts')
  const inside = new Set([...all].filter((name) => !isOutside(name)).map(folderOf))
  const named = (names: Iterable<string>): string =>
    [...names]
      .sort()
      .map((name) => `\`${name}\``)
      .join(', ')
  const folders = [...inside].filter((folder) => !own.has(folder))
  const outside = [...all].filter(isOutside)
  const from = folders.length === 0 ? 'Imports from no other folder.' : `Imports from ${named(folders)}.`
  return [outside.length === 0 ? from : `${from} Modules: ${named(outside)}.`, '']
}

function table(third: string, rows: readonly string[]): string[] {
  if (rows.length === 0) return ['It exports nothing.', '']
  return [row(['export', 'kind', third, 'about']), row(['---', '---', '---', '---']), ...rows, '']
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const cell = (text: string): string => text.replaceAll('|', '\\|')
