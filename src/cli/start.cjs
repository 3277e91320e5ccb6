#!/usr/bin/env node
// Starts the command line with what V8 made of it last time: compiling is a third of the time that a small run takes.
// Without a cache of the user's own, or with one that does not fit, nothing is lost but that time. `CLADA_NO_CACHE=1`
// leaves it alone.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')

/** The digest of everything in `cli/`, set when the package is built. */
const BUILD = 'unbuilt'

// Some packages are ES modules only. Node 21 and early Nodes 22 are newer than the first that can require those.
if (!process.features.require_module) {
  process.stderr.write(`clada needs Node 20.19, 22.13 or newer; this is ${process.version}.\n`)
  process.exit(2)
}

const own = path.join(__dirname, 'cli') + path.sep
const dir = process.env.CLADA_NO_CACHE ? undefined : cacheDir()
const build =
  dir !== undefined && isOwn(dir) ? path.join(dir, `${process.version}-${process.arch}-${BUILD}`) : undefined
const cache = build !== undefined && isMade(build) ? build : undefined
const fresh = []
let command
if (cache !== undefined) {
  globalThis.cladaKept = kept
  process.on('exit', () => fresh.length > 0 && write(fresh))
}
load('main.cjs').start()

/**
 * Loads a file of the command line. Node would look for it, for links on the way and for a package.json, and would read
 * it as UTF-8, although all of it is ASCII.
 */
function load(name) {
  const filename = own + name
  const loaded = require.cache[filename]
  if (loaded !== undefined) return loaded.exports
  const module = { exports: {}, filename }
  require.cache[filename] = module
  const source = fs.readFileSync(filename, 'latin1')
  // A few lines are compiled in half the time that it takes to read what was kept of them.
  const file = cache && source.length > 1000 ? path.join(cache, keptName(name)) : undefined
  const script = new vm.Script(source, { filename, cachedData: file && read(file) })
  if (file && script.cachedDataRejected !== false) fresh.push([file, () => script.createCachedData()])
  const required = (id) => (id.startsWith('./') ? load(id.slice(2)) : require(id))
  script.runInThisContext().call(module.exports, module.exports, required, module, filename, own)
  return module.exports
}

/** What is expensive to make and the same at every start of this build, such as an unpacked grammar. */
function kept(name, make) {
  const file = path.join(cache, name)
  const known = read(file)
  if (known !== undefined) return known
  const made = make()
  // As it is now: who asked for it may change it.
  const copy = Buffer.from(made)
  fresh.push([file, () => copy])
  return made
}

/** V8 keeps the functions that were called. Those of the packs differ by command; a file of its own has each of them. */
function keptName(name) {
  if (!['main.cjs', 'read-pack.cjs', 'run-pack.cjs'].includes(name)) return name
  command ??= commandOf(process.argv[2] ?? '')
  return `${command}-${name}`
}

function commandOf(word) {
  return /^[a-z]+$/.test(word) && fs.existsSync(`${own}cli-commands-${word}.cjs`) ? word : 'run'
}

/**
 * A program that writes there decides what the next start runs. So it is in the state directory, which is blocked for
 * documents and sandboxed code, as in state/user-state.ts.
 */
function cacheDir() {
  const { XDG_STATE_HOME: given, USERPROFILE, HOME } = process.env
  const home = process.platform === 'win32' ? USERPROFILE : HOME
  const base = given && path.isAbsolute(given) ? given : home && path.join(home, '.local', 'state')
  return base && path.isAbsolute(base) ? path.join(base, 'clada', 'code') : undefined
}

/** Makes it where it is missing. Neither a link nor what others can write to is the user's own. */
function isOwn(dir) {
  try {
    if (!fs.existsSync(dir)) make(dir)
    const stat = fs.lstatSync(dir)
    const uid = process.getuid?.()
    return stat.isDirectory() && (uid === undefined || (stat.uid === uid && (stat.mode & 0o022) === 0))
  } catch {
    // A cache that cannot be is no reason to fail.
    return false
  }
}

/** One after the other: Node's own way to make several never ends below /proc. */
function make(dir) {
  if (!fs.existsSync(path.dirname(dir))) make(path.dirname(dir))
  fs.mkdirSync(dir, { mode: 0o700 })
}

function isMade(build) {
  try {
    if (fs.existsSync(build)) return true
    fs.mkdirSync(build, { mode: 0o700 })
    removeOld(path.dirname(build))
    return true
  } catch {
    // Whoever starts at the same time has made it.
    return fs.existsSync(build)
  }
}

/** Files of other users are not used. */
function read(file) {
  let fd
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
  } catch {
    return undefined
  }
  try {
    const { uid, mode, size } = fs.fstatSync(fd)
    if (process.getuid && (uid !== process.getuid() || mode & 0o022)) return undefined
    const data = Buffer.allocUnsafeSlow(size)
    return fs.readSync(fd, data) === size ? data : undefined
  } finally {
    fs.closeSync(fd)
  }
}

function write(fresh) {
  // V8 takes nothing back that it kept under other flags. Parsers of structures set this one.
  require('node:v8').setFlagsFromString('--wasm-tier-up-filter=-1')
  try {
    for (const [file, make] of fresh) {
      const temp = `${file}.${process.pid}`
      fs.writeFileSync(temp, make(), { mode: 0o600, flag: 'wx', flush: true })
      fs.renameSync(temp, file)
    }
  } catch {
    // A cache that cannot be written is no reason to fail.
  }
}

/** Removes those of older builds. A few may stay: a project's own clada and a global one take turns. */
function removeOld(dir) {
  const builds = fs.readdirSync(dir).map((name) => path.join(dir, name))
  const age = new Map(builds.map((name) => [name, fs.statSync(name).mtimeMs]))
  for (const old of builds.sort((a, b) => age.get(b) - age.get(a)).slice(3)) {
    fs.rmSync(old, { recursive: true, force: true })
  }
}
