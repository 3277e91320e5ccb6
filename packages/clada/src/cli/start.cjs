#!/usr/bin/env node
// Starts the command line from what the last starts of the same command have left: its parts in one script, with the code that
// V8 made of them. `CLADA_CODE_CACHE` is another directory in which to keep that; `off` keeps nothing.
'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const vm = require('node:vm')

/** Set by the build: the hash in the name of the entry, which covers everything that it imports. */
const BUILD = 'unbuilt'
/** The length of the text of a pack, in digits. */
const HEAD = 16

// Some packages are ES modules only. Node 21 and early Nodes 22 are newer than the first that can require those.
if (!process.features.require_module) {
  process.stderr.write(`clada needs Node 20.19, 22.13 or newer; this is ${process.version}.\n`)
  process.exit(2)
}

const own = path.join(__dirname, 'cli')
const pack = findPack()
let packed = pack === undefined ? undefined : readPack(pack)
const parts = packed?.runInThisContext() ?? {}
if (pack !== undefined) process.on('exit', savePack)
load(`main-${BUILD}.cjs`).start()

/** `require` for the files of the command line, which Node's own would open and compile anew at every start. */
function load(name) {
  const filename = `${own}/${name}`
  const known = require.cache[filename]
  if (known !== undefined) return known.exports
  const module = new Module(filename)
  module.filename = filename
  require.cache[filename] = module
  const requireOwn = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id))
  const part = (parts[name] ??= compile(filename))
  part.call(module.exports, module.exports, requireOwn, module, filename, own)
  return module.exports
}

/** A part that this command did not use before: the next pack has it. */
function compile(filename) {
  packed = undefined
  return new vm.Script(Module.wrap(fs.readFileSync(filename, 'latin1')), { filename }).runInThisContext()
}

/**
 * The file for this build, version of Node and command: V8 keeps the functions that were called, and each command calls
 * others. It lies in the state directory, which is blocked for replies and programs, because code there runs at the
 * next start. A link, or a directory that others can write to, is not used.
 */
function findPack() {
  const { CLADA_CODE_CACHE: given, XDG_STATE_HOME, USERPROFILE, HOME } = process.env
  if (given === 'off') return undefined
  const home = process.platform === 'win32' ? USERPROFILE : HOME
  const state = XDG_STATE_HOME && path.isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : home && `${home}/.local/state`
  // A directory of its own in any case: what is old in it is removed.
  const dir = given ? path.join(given, 'clada-code') : state && path.join(state, 'clada', 'code')
  if (!dir || !path.isAbsolute(dir)) return undefined
  const build = path.join(dir, `${process.version}-${process.arch}-${BUILD}`)
  const [, , word = ''] = process.argv
  const command = path.join(build, /^[a-z]+$/.test(word) ? word : 'run')
  try {
    if (!fs.existsSync(dir)) makeDir(dir)
    if (!isOwn(fs.lstatSync(dir))) return undefined
    if (!fs.existsSync(build)) {
      makeDir(build)
      removeOldBuilds(dir)
    }
    return command
  } catch {
    // Two first starts at the same time, or a disk that cannot be written to: this start does without.
    return undefined
  }
}

/** One after the other: Node's own way to make several never ends below /proc. */
function makeDir(dir) {
  if (!fs.existsSync(path.dirname(dir))) makeDir(path.dirname(dir))
  fs.mkdirSync(dir, { mode: 0o700 })
}

function isOwn(stat) {
  const uid = process.getuid?.()
  return !stat.isSymbolicLink() && (uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0))
}

/** Nothing where there is none, or none that is whole and the user's own. */
function readPack(file) {
  try {
    const bytes = readOwn(file)
    const end = HEAD + Number(bytes.latin1Slice(0, HEAD))
    const cachedData = bytes.subarray(aligned(end))
    return new vm.Script(bytes.latin1Slice(HEAD, end), { filename: file, cachedData })
  } catch {
    return undefined
  }
}

function readOwn(file) {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
  try {
    if (!isOwn(fs.fstatSync(fd))) throw new Error(`${file} belongs to others`)
    return fs.readFileSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** A start that needed another part leaves the text, the next one what V8 made of it: that is only what was called. */
function savePack() {
  if (packed?.cachedDataRejected === false) return
  // V8 rejects code that was compiled under other flags. Parsers of structures set this one.
  require('node:v8').setFlagsFromString('--wasm-tier-up-filter=-1')
  const entries = Object.entries(parts).map(([name, part]) => `${JSON.stringify(name)}:${part}`)
  const text = Buffer.from(`({${entries.join(',\n')}})`, 'latin1')
  const code = packed?.createCachedData() ?? Buffer.alloc(0)
  const bytes = Buffer.alloc(aligned(HEAD + text.length) + code.length)
  bytes.latin1Write(String(text.length).padStart(HEAD))
  text.copy(bytes, HEAD)
  code.copy(bytes, bytes.length - code.length)
  const temp = `${pack}.${process.pid}`
  try {
    // Together, because V8 knows the text that its code belongs to only by the length.
    fs.writeFileSync(temp, bytes, { mode: 0o600, flag: 'wx', flush: true })
    fs.renameSync(temp, pack)
  } catch {
    // A pack that cannot be written is no reason to fail.
  }
}

/** V8 copies code that does not begin where a number could. */
function aligned(offset) {
  return Math.ceil(offset / 8) * 8
}

/** A few stay: a project's own clada and a global one take turns. */
function removeOldBuilds(dir) {
  const age = new Map(fs.readdirSync(dir).map((name) => [name, fs.statSync(path.join(dir, name)).mtimeMs]))
  for (const name of [...age.keys()].sort((a, b) => age.get(b) - age.get(a)).slice(3))
    fs.rmSync(path.join(dir, name), { recursive: true, force: true })
}
