// The start of the standalone program: one file that holds Node, clada, and everything that clada needs.
//
// The code of the command line runs from the program itself, with V8's code cache. What must be a file (ripgrep, native
// modules, the page, grammars) is unpacked on the first start, into the user's state directory, which is closed to
// documents and to contained code.
'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const sea = require('node:sea')
const vm = require('node:vm')

/** The digest of everything inside, set when the program is built. */
const BUILD = 'unbuilt'

const record = process.env.CLADA_RECORD_CODE
const home = unpacked()
const dir = path.join(home, 'dist', 'cli')
const outside = Module.createRequire(path.join(dir, 'main.cjs'))
const code = new Uint8Array(sea.getRawAsset('code'))
const index = JSON.parse(sea.getAsset('index', 'utf8'))
const loaded = new Map()
const scripts = []

process.argv[1] = path.join(home, 'dist', 'cli.cjs')
if (record !== undefined) process.on('exit', writeCode)
load('main.cjs').start()

/** A part of the command line; everything else is for Node to load. */
function required(id) {
  if (Module.isBuiltin(id)) return require(id)
  return id.startsWith('./') ? load(id.slice(2)) : outside(id)
}

function load(name) {
  const known = loaded.get(name)
  if (known !== undefined) return known.exports
  const { text, cache } = index[name]
  const source = Buffer.from(code.buffer, text[0], text[1]).latin1Slice()
  const cachedData = cache === undefined ? undefined : Buffer.from(code.buffer, cache[0], cache[1])
  const filename = path.join(dir, name)
  const script = new vm.Script(source, { filename, cachedData })
  if (record !== undefined) scripts.push([name, script])
  const module = { exports: {} }
  loaded.set(name, module)
  script.runInThisContext()(module.exports, required, module, filename, dir)
  return module.exports
}

function writeCode() {
  for (const [name, script] of scripts) fs.writeFileSync(path.join(record, name), script.createCachedData())
}

/** The directory with the files of this build, where only the user can write. */
function unpacked() {
  const { XDG_STATE_HOME: given, USERPROFILE, HOME } = process.env
  const user = process.platform === 'win32' ? USERPROFILE : HOME
  const base = given && path.isAbsolute(given) ? given : user && path.join(user, '.local', 'state')
  const place = base && path.isAbsolute(base) ? path.join(base, 'clada', 'program') : undefined
  if (place !== undefined) {
    const made = path.join(place, BUILD)
    if (isOwn(made)) return made
    try {
      fs.mkdirSync(place, { recursive: true, mode: 0o700 })
      if (isOwn(place)) return unpackTo(made)
    } catch {
      // Where the user has no state directory, a temporary one serves this start.
    }
  }
  const temporary = fs.mkdtempSync(path.join(require('node:os').tmpdir(), 'clada-program-'))
  process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true }))
  return unpackTo(path.join(temporary, BUILD))
}

/** Neither a link nor what others can write to is the user's own. */
function isOwn(dir) {
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false })
  if (stat === undefined || !stat.isDirectory()) return false
  const uid = process.getuid?.()
  return uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0)
}

/** Under another name first: a directory that is there is whole. */
function unpackTo(made) {
  const bytes = new Uint8Array(sea.getRawAsset('files'))
  const temporary = `${made}.${process.pid}`
  for (const [name, [at, length, mode]] of Object.entries(JSON.parse(sea.getAsset('list', 'utf8')))) {
    const file = path.join(temporary, name)
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    fs.writeFileSync(file, bytes.subarray(at, at + length), { mode, flag: 'wx' })
  }
  try {
    fs.renameSync(temporary, made)
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true })
    // Another start was faster.
    if (!isOwn(made)) throw error
  }
  for (const old of fs.readdirSync(path.dirname(made))) {
    if (old !== BUILD && !/\.\d+$/.test(old))
      fs.rmSync(path.join(path.dirname(made), old), { recursive: true, force: true })
  }
  return made
}
