import fs from 'node:fs'
import path from 'node:path'

/** What one file under src/ takes and gives. Names are relative to src/, with forward slashes. */
export interface SourceFile {
  readonly file: string
  /** Files under src/, packages, and `node:` modules, type-only and dynamic imports included; each once, sorted. */
  readonly imports: readonly string[]
  readonly exports: readonly Exported[]
  readonly reexports: readonly Reexported[]
}

export interface Exported {
  readonly name: string
  readonly kind: 'function' | 'class' | 'interface' | 'type' | 'const'
  /** The first sentence of its doc comment; empty when it has none. */
  readonly doc: string
}

interface Reexported {
  readonly name: string
  readonly from: string
}

/**
 * Reads the sources line by line instead of parsing them, which the uniform style allows: imports and exports begin
 * a line, and module names stand in single quotes.
 */
export function readSources(src: string): SourceFile[] {
  return fs
    .readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((file) => readSource(file, fs.readFileSync(path.join(src, file), 'utf8')))
}

/** `core` for `core/action.ts`; a file at the top stands for itself. */
export const folderOf = (file: string): string => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file)

function readSource(file: string, text: string): SourceFile {
  const resolve = (name: string): string =>
    name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const imports = [staticImport, bareImport, dynamicImport].flatMap((form) =>
    [...code.matchAll(form)].map(([, name = '']) => resolve(name)),
  )
  return {
    file,
    imports: [...new Set(imports)].sort(),
    exports: exportsIn(text),
    reexports: [...code.matchAll(reexport)].flatMap(([, names = '', from = '']) =>
      names
        .split(',')
        .map((name) => name.replace(/^\s*type\s+/, '').trim())
        .filter((name) => name !== '')
        .map((name) => ({ name: name.replace(/^.* as /, ''), from: resolve(from) })),
    ),
  }
}

/** The clause holds no quote, `=` or `;`, so that a match cannot run on from an export that takes nothing. */
const staticImport = /^(?:import|export)\s[^'"`=;]*?\bfrom '([^']+)'/gm
const bareImport = /^import '([^']+)'/gm
const dynamicImport = /\bimport\(\s*'([^']+)'\s*\)/g
const reexport = /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm

const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(function|class|interface|type|const|enum)\*? (\w+)(.*)$/gm

function exportsIn(text: string): Exported[] {
  const found = new Map<string, Exported>()
  for (const { 1: word = '', 2: name = '', 3: rest = '', index } of text.matchAll(exported)) {
    // The first of several overloads is the one with the comment.
    if (found.has(name)) continue
    const doc = docBefore(text.slice(0, index)) || actionDoc(text.slice(index))
    found.set(name, { name, kind: kindOf(word, rest), doc })
  }
  return [...found.values()]
}

function kindOf(word: string, rest: string): Exported['kind'] {
  if (word === 'const') return /^[^=]*= (?:async )?(?:<.*>)?\(/.test(rest) ? 'function' : 'const'
  return word === 'function' || word === 'class' || word === 'interface' ? word : 'type'
}

/** A definition of an action says itself what it is. */
function actionDoc(text: string): string {
  const name = /^export const \w+ = defineAction\(\{\s*name: '(\w+)'/.exec(text)?.[1]
  return name === undefined ? '' : `The action \`${name}\`.`
}

function docBefore(text: string): string {
  const comment = /\/\*\*((?:(?!\*\/).)*)\*\/\n$/s.exec(text.slice(-2000))?.[1] ?? ''
  const prose = comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .replace(/@\w+.*$/, '')
    .trim()
  // A full stop inside code, as in `...`, ends no sentence.
  return /^(?:`[^`]*`|[^`])*?[.!?](?=\s|$)/.exec(prose)?.[0] ?? prose
}
