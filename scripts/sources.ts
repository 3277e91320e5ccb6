import fs from 'node:fs'
import path from 'node:path'

/** A file under src/ and its imports. Names are relative to src/, with forward slashes. */
interface SourceFile {
  readonly file: string
  /** Files under src/, packages, and `node:` modules, type-only and dynamic imports included; each once, sorted. */
  readonly imports: readonly string[]
}

/**
 * Reads the sources line by line instead of parsing them, which the uniform style allows: imports and exports begin
 * a line, and module names are in single quotes.
 */
export function readSources(src: string): SourceFile[] {
  return fs
    .readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((file) => readSource(file, fs.readFileSync(path.join(src, file), 'utf8')))
}

/** `core` for `core/action.ts`; a file at the top is its own folder. */
export const folderOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file)

function readSource(file: string, text: string): SourceFile {
  const resolve = (name: string): string =>
    name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const imports = [staticImport, bareImport, dynamicImport].flatMap((form) =>
    [...code.matchAll(form)].map(([, name = '']) => resolve(name)),
  )
  return { file, imports: [...new Set(imports)].sort() }
}

/** The clause has no quote, `=` or `;`, so that a match cannot run on from an export that imports nothing. */
const staticImport = /^(?:import|export)\s[^'"`=;]*?\bfrom '([^']+)'/gm
const bareImport = /^import '([^']+)'/gm
const dynamicImport = /\bimport\(\s*'([^']+)'\s*\)/g
