import fs from 'node:fs'
import path from 'node:path'

/** A file of the program and its imports: `actions/run.ts` is in packages/clada/src, `reply/text/lines.ts` in packages/reply/src. */
interface SourceFile {
  readonly file: string
  /** Files of the program, packages, and `node:` modules, type-only and dynamic imports included; each once, sorted. */
  readonly imports: readonly string[]
}

/**
 * Reads the sources line by line instead of parsing them, which the uniform style allows: imports and exports begin
 * a line, and module names are in single quotes.
 */
export function readSources(packages: string): SourceFile[] {
  return [
    ...readPackage(path.join(packages, 'clada/src'), ''),
    ...readPackage(path.join(packages, 'reply/src'), 'reply/'),
  ]
}

function readPackage(src: string, prefix: string): SourceFile[] {
  return fs
    .readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((file) => readSource(prefix + file, fs.readFileSync(path.join(src, file), 'utf8')))
}

/** `core` for `core/action.ts`, `reply/text` for `reply/text/lines.ts`; a file at the top is its own folder. */
export const folderOf = (file: string): string => /^(?:reply\/)?[^/]+/.exec(file)?.[0] ?? file

function readSource(file: string, text: string): SourceFile {
  const resolve = (name: string): string =>
    name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name.replace('@clada/', '')
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const imports = [staticImport, bareImport, dynamicImport, builtinModule].flatMap((form) =>
    [...code.matchAll(form)].map(([, name = '']) => resolve(name)),
  )
  return { file, imports: [...new Set(imports)].sort() }
}

/** The clause has no quote, `=` or `;`, so that a match cannot run on from an export that imports nothing. */
const staticImport = /^(?:import|export)\s[^'"`=;]*?\bfrom '([^']+)'/gm
const bareImport = /^import '([^']+)'/gm
const dynamicImport = /\bimport\(\s*'([^']+)'\s*\)/g
const builtinModule = /\bgetBuiltinModule\('([^']+)'\)/g
