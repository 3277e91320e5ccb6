// Prints how large the code base is and how it hangs together:
//
//   npm run house [-- --list]
//
// --list also names the files that were counted. The files that a one-word edit passes through are counted by running
// the sources: the command line gets a document with one SHAM file_edit, in a project without git. V8's coverage says in
// which modules a function was called, beyond the statements that run when a module is loaded; a module loader hook (this
// file, loaded a second time by Node) translates the TypeScript and notes every module of src/ that is loaded at all.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, transform } from 'esbuild'

const own = fileURLToPath(import.meta.url)
const root = path.resolve(path.dirname(own), '..')
const src = path.join(root, 'src')

/** Folders where one file per definition is the rule. */
const definitions = ['actions/', 'cli/commands/', 'structure/languages/', 'syntax/', 'policy/commands/']

/** Words that the style asks to replace, in comments and in what a person or a model reads. "Blank line" and "there is none" are plain English. */
const wordy =
  /\b(?:blanks?(?![- ](?:lines?|ones?)\b)|behind|in front|stands?|stood|lies|lay|one a line|(?<!there )is none|what came of|whoever|nobody|somebody|carry out|carries out|carried out|told|tells of|put right|put it right|came of|closed to|(?<!the )inside of|outside of|(?<!are )all the same|do(?:es)? not count|takes? (?:it|them) back|put aside|its kin|obeys?|left alone|leaves? \w+ alone|brought back|brings? \w+ back|brought together|worth nothing|such a one|anew|overtaken|as it comes|whatever this|vanished|strangers?(?! =|\.|\()|must do|no use by|far it is|to the same end|is no (?:regular|ordinary|request|message|object)|any of that sort|in its way|way to hear|hears of|is like it)\b/i

/** The hook: modules in TypeScript are translated, those of src/ are noted. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const file = fileURLToPath(url)
  fs.appendFileSync(process.env.CLADA_HOUSE_LOG, `${path.relative(src, file)}\n`)
  const { code } = await transform(fs.readFileSync(file, 'utf8'), { loader: 'ts', format: 'esm' })
  return { format: 'module', source: code, shortCircuit: true }
}

/** The modules of src/ that one edit loads, and those of which it calls a function. */
function loadedByEdit() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-house-'))
  try {
    const [project, log, cover] = ['project', 'log', 'cover'].map((name) => path.join(dir, name))
    fs.mkdirSync(project)
    fs.writeFileSync(path.join(project, 'a.txt'), 'one word\n')
    const input = [
      '#!SHAM [@three-char-SHA-256: abc]',
      'action = "file_edit"',
      `path = "${project}/a.txt"`,
      'old_text = "word"',
      'new_text = "edit"',
      '#!END_SHAM_abc',
      '',
    ].join('\n')
    const start = path.join(dir, 'start.mjs')
    fs.writeFileSync(start, `(await import(${JSON.stringify(pathToFileURL(path.join(src, 'cli/main.ts')))})).start()`)
    const register = `import { register } from 'node:module'; register(${JSON.stringify(import.meta.url)})`
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(register)}`, start, '--no-git'],
      {
        cwd: project,
        input,
        encoding: 'utf8',
        env: {
          ...process.env,
          CLADA_HOUSE_LOG: log,
          NODE_V8_COVERAGE: cover,
          XDG_STATE_HOME: dir,
          XDG_CONFIG_HOME: dir,
        },
      },
    )
    if (status !== 0 || fs.readFileSync(path.join(project, 'a.txt'), 'utf8') !== 'one edit\n') throw new Error(stderr)
    const loaded = [...new Set(fs.readFileSync(log, 'utf8').trimEnd().split('\n'))].sort()
    const called = fs.readdirSync(cover).flatMap((name) =>
      JSON.parse(fs.readFileSync(path.join(cover, name), 'utf8'))
        .result.filter(({ url, functions }) => url.startsWith(pathToFileURL(src).href) && isCalled(functions))
        .map(({ url }) => path.relative(src, fileURLToPath(url))),
    )
    return { loaded, called: [...new Set(called)].sort() }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** The first function is the module itself. */
const isCalled = ([, ...functions]) => functions.some(({ ranges }) => ranges[0].count > 0)

/** The reader of sources that the layer test uses too. */
async function sourcesModule() {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'scripts/sources.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  })
  const module = { exports: {} }
  new Function('module', 'exports', 'require', outputFiles[0].text)(module, module.exports, createRequire(own))
  return module.exports
}

async function figures() {
  const { readSources, folderOf } = await sourcesModule()
  const sources = readSources(src)
  const linesOf = new Map(
    sources.map(({ file }) => [file, fs.readFileSync(path.join(src, file), 'utf8').trimEnd().split('\n')]),
  )
  const importers = new Map(sources.map(({ file }) => [file, []]))
  for (const { file, imports } of sources) for (const name of imports) importers.get(name)?.push(file)
  const small = sources
    .map(({ file }) => file)
    .filter((file) => !definitions.some((folder) => file.startsWith(folder)))
    .filter((file) => linesOf.get(file).length < 40 && importers.get(file).length === 1)
  const uses = new Set(
    sources.flatMap(({ file, imports }) =>
      imports.filter((name) => importers.has(name)).map((name) => `${folderOf(file)} ${folderOf(name)}`),
    ),
  )
  const mutual = [...uses].filter((pair) => {
    const [from, to] = pair.split(' ')
    return from < to && uses.has(`${to} ${from}`)
  })
  const worded = [...linesOf].flatMap(([file, lines]) =>
    lines.flatMap((line, at) => (wordy.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  )
  const edit = loadedByEdit()
  const folders = new Map()
  for (const one of sources) folders.set(folderOf(one.file), [...(folders.get(folderOf(one.file)) ?? []), one])
  const count = (files) => files.reduce((sum, { file }) => sum + linesOf.get(file).length, 0)
  return {
    rows: [
      ['files in src', sources.length],
      ['lines in src', count(sources)],
      ['files at the top of src', sources.filter(({ file }) => !file.includes('/')).length],
      ['files under 40 lines with a single importer', small.length, small],
      ['files a one-word edit passes through (a function of it is called)', edit.called.length, edit.called],
      ['files that are loaded for it', edit.loaded.length, edit.loaded],
      ['pairs of folders that import each other', mutual.length, mutual],
      ['lines with words to replace', worded.length, worded],
    ],
    folders: [...folders].map(([name, files]) => [name, files.length, count(files)]),
  }
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === own) {
  const { rows, folders } = await figures()
  for (const [name, figure, files = []] of rows) {
    console.log(`${String(figure).padStart(7)}  ${name}`)
    if (process.argv.includes('--list')) for (const file of files) console.log(`           ${file}`)
  }
  console.log(`\n  files    lines  folder`)
  for (const [name, files, lines] of folders)
    console.log(`${String(files).padStart(7)} ${String(lines).padStart(8)}  ${name}`)
}
