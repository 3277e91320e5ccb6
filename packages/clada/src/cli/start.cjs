#!/usr/bin/env node
// Starts the command line, with V8's compiled code of the last start: compiling is a third of the time of a small run.
// `CLADA_CODE_CACHE` names another directory for that code; `off` uses none.
'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const vm = require('node:vm')

/** Set by the build: the hash in the name of the entry, which covers everything that it imports. */
const BUILD = 'unbuilt'

// Some packages are ES modules only. Node 21 and early Nodes 22 are newer than the first that can require those.
if (!process.features.require_module) {
  process.stderr.write(`clada needs Node 20.19, 22.13 or newer; this is ${process.version}.\n`)
  process.exit(2)
}

const own = path.join(__dirname, 'cli')
const cache = openCache()
const compiled = []
if (cache !== undefined) process.on('exit', saveCompiled)
load(`main-${BUILD}.cjs`).start()

/** `require` for the files of the command line, which Node's own would compile anew at every start. */
function load(name) {
  const filename = `${own}/${name}`
  const known = require.cache[filename]
  if (known !== undefined) return known.exports
  const module = new Module(filename)
  module.filename = filename
  require.cache[filename] = module
  const file = cache && `${cache}/${name}`
  const cachedData = file && readOwn(file)
  const script = new vm.Script(Module.wrap(fs.readFileSync(filename, 'utf8')), { filename, cachedData })
  if (file && script.cachedDataRejected !== false) compiled.push({ file, script })
  const requireOwn = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id))
  script.runInThisContext().call(module.exports, module.exports, requireOwn, module, filename, own)
  return module.exports
}

/**
 * The directory for this build, version of Node and command: V8 keeps the functions that were called, and each command
 * calls others. It lies in the state directory, which is blocked for replies and programs, because code there runs at the
 * next start. A link, or a directory that others can write to, is not used.
 */
function openCache() {
  const { CLADA_CODE_CACHE: given, XDG_STATE_HOME, USERPROFILE, HOME } = process.env
  if (given === 'off') return undefined
  const home = process.platform === 'win32' ? USERPROFILE : HOME
  const state = XDG_STATE_HOME && path.isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : home && `${home}/.local/state`
  const dir = given || (state && path.isAbsolute(state) && path.join(state, 'clada', 'code'))
  if (!dir) return undefined
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
    if (!fs.existsSync(command)) makeDir(command)
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

function readOwn(file) {
  let fd
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
  } catch {
    return undefined
  }
  try {
    return isOwn(fs.fstatSync(fd)) ? fs.readFileSync(fd) : undefined
  } finally {
    fs.closeSync(fd)
  }
}

function saveCompiled() {
  if (compiled.length === 0) return
  // V8 rejects code that was compiled under other flags. Parsers of structures set this one.
  require('node:v8').setFlagsFromString('--wasm-tier-up-filter=-1')
  try {
    for (const { file, script } of compiled) {
      const temp = `${file}.${process.pid}`
      fs.writeFileSync(temp, script.createCachedData(), { mode: 0o600, flag: 'wx', flush: true })
      fs.renameSync(temp, file)
    }
  } catch {
    // A cache that cannot be written is no reason to fail.
  }
}

/** A few stay: a project's own clada and a global one take turns. */
function removeOldBuilds(dir) {
  const age = new Map(fs.readdirSync(dir).map((name) => [name, fs.statSync(path.join(dir, name)).mtimeMs]))
  for (const name of [...age.keys()].sort((a, b) => age.get(b) - age.get(a)).slice(3))
    fs.rmSync(path.join(dir, name), { recursive: true, force: true })
}
