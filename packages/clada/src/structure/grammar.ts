import type { Tree } from 'web-tree-sitter'
import { installedFile, packageFile } from '../core/installation.ts'
import { ProblemError } from '../core/problem.ts'
import { checkTime, isLate } from '../core/time-limit.ts'
import { partsFinder, verbatimFinder, type Finder } from './find-parts.ts'
import type { Language, TreeSitterRow } from './language.ts'
import fs from 'node:fs'

/** A grammar, ready to parse, and what is asked of its trees. */
export interface Grammar {
  /** The caller frees the tree. */
  parse(text: string): Tree
  /** Finds everything the outline is made of. */
  readonly parts: Finder
  /** Finds strings that may have several lines; null where the language has none. */
  readonly verbatim: Finder | null
}

/** Loads the grammar of a language, once; nothing is loaded before a structure is asked for. */
export function loadGrammar(language: Language, row: TreeSitterRow): Promise<Grammar> {
  if (abandoned)
    throw new ProblemError({ kind: 'structure', code: 'PARSER_FAILED', message: abandonedMessage, details: {} })
  let loading = loaded.get(language.name)
  if (loading === undefined) {
    loading = loadRow(row)
    loaded.set(language.name, loading)
    // A grammar that could not be read, for example because memory was short, may load the next time.
    loading.catch(() => loaded.delete(language.name))
  }
  return loading
}

/** Stopped somewhere inside, the memory that all parsers share may be in any state, and is not to be used again. */
export function abandonParsers(): void {
  abandoned = true
}

let abandoned = false
const abandonedMessage =
  'A parser had to be stopped while it read another file, so structures are not available until clada is started again. Edit by text or by lines.'

const loaded = new Map<string, Promise<Grammar>>()

async function loadRow(row: TreeSitterRow): Promise<Grammar> {
  const module = compileOnce(row.grammar)
  runtime ??= startRuntime()
  const { Language, parser } = await runtime
  const language = Language.loadSync(await module)
  let parts: Finder | undefined
  let verbatim: Finder | null | undefined
  return {
    get parts() {
      return (parts ??= partsFinder(language, row))
    },
    get verbatim() {
      if (verbatim === undefined) verbatim = verbatimFinder(language, row)
      return verbatim
    },
    parse(text) {
      parser.setLanguage(language)
      const known = row.skipped === undefined ? text : text.replace(row.skipped, (line) => ' '.repeat(line.length))
      const tree = parser.parse(known, null, { progressCallback: isLate })
      if (tree === null) {
        // It would continue with this text the next time.
        parser.reset()
        checkTime()
        throw new Error(`no tree for ${row.grammar}`)
      }
      return tree
    },
  }
}

type Runtime = Awaited<ReturnType<typeof startRuntime>>
let runtime: Promise<Runtime> | undefined

async function startRuntime() {
  const program = compileOnce('tree-sitter')
  const { Language, Parser } = await import('web-tree-sitter')
  // Without it V8 continues compiling the grammars with its optimising compiler, and the process cannot end before
  // that is done: 1.5 s after one small parse. V8 asks for it when a function is first called. After the import,
  // because V8 takes no kept code under other flags.
  process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tier-up-filter=0')
  const module = await program
  await Parser.init({
    INITIAL_MEMORY: initialMemory,
    instantiateWasm: (imports: Record<string, Record<string, never>>, done: (made: object, of: object) => void) =>
      done(new wasm.Instance(module, imports), module),
  })
  return { Language, parser: new Parser() }
}

/** What the types of Node leave out. */
const wasm: {
  compile(bytes: NonSharedBuffer): Promise<object>
  readonly Instance: new (module: object, imports: Record<string, Record<string, never>>) => object
} = Reflect.get(globalThis, 'WebAssembly')

const modules = new Map<string, Promise<object>>()

/** A grammar, or `tree-sitter` for the program that runs them. */
function compileOnce(name: string): Promise<object> {
  const known = modules.get(name)
  if (known !== undefined) return known
  const module = compile(name)
  modules.set(name, module)
  module.catch(() => modules.delete(name))
  return module
}

async function compile(name: string): Promise<object> {
  const bytes = readGrammar(name)
  return wasm.compile(name === 'tree-sitter' ? withLessMemory(bytes) : bytes)
}

/** Where the program asks for memory: 512 pages of 64 KiB, a number of two bytes. */
const memoryWanted = Buffer.from('\x03env\x06memory\x02\x01\x80\x04', 'latin1')
let initialMemory = 32 * 2 ** 20

/**
 * Lets it begin with 8 MiB instead of 32. V8 takes the memory for what JavaScript uses and collects garbage up to three
 * times in a small read, which takes 13 ms of processor time. The program asks for more when it needs more.
 */
function withLessMemory(program: NonSharedBuffer): NonSharedBuffer {
  const at = program.indexOf(memoryWanted)
  if (at === -1) return program
  program.set([0x80, 0x01], at + memoryWanted.length - 2)
  initialMemory = 8 * 2 ** 20
  return program
}

/** Captures are named for what they are: a kind of structure, or one of these. */
export type CaptureName = 'wrap' | 'comment' | 'decorator' | 'list' | 'preamble' | 'embedded' | 'heredoc'

/** The build compressed it; from source it comes from the package that has it. */
function readGrammar(name: string): NonSharedBuffer {
  const file = installedFile(`grammars/${name}.wasm.br`)
  if (file !== undefined) return process.getBuiltinModule('node:zlib').brotliDecompressSync(fs.readFileSync(file))
  const from = (file: string): string => {
    const found = packageFile(file)
    if (found === undefined) throw new Error(`The grammar ${name} is missing from this installation.`)
    return found
  }
  return fs.readFileSync(
    name === 'tree-sitter'
      ? from('web-tree-sitter/web-tree-sitter.wasm')
      : from('tree-sitter-wasm/manifest.json').replace(/manifest\.json$/, `out/${name}/tree-sitter-${name}.wasm`),
  )
}
