#!/usr/bin/env node
// Starts the command line with what V8 made of it last time: compiling is a third of the time that a small run takes.
// Newer Nodes do this themselves. Without a cache of the user's own, or with one that does not fit, nothing is lost but
// that time. `CLADA_NO_CACHE=1` leaves it alone.
'use strict'

const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')

/** The digest of everything in `cli/`, set when the package is built. */
const BUILD = 'unbuilt'

// Some packages are ES modules only. Node 21 and early Nodes 22 are newer than the first that can require those.
if (!process.features.require_module) {
  process.stderr.write(`clada needs Node 20.19, 22.13 or newer; this is ${process.version}.\n`)
  process.exit(2)
}

const dir = process.env.CLADA_NO_CACHE ? undefined : cacheDir()
if (dir !== undefined && isOwn(dir)) {
  const build = path.join(dir, `${process.version}-${process.arch}-${BUILD}`)
  // Node 22 and newer read whatever lies where they are told to look.
  if (isMade(build)) (Module.enableCompileCache ?? useCache)(build)
}
require('./cli/main.cjs').start()

/**
 * Whoever writes there decides what the next start runs. So it lies in the state directory, which is closed to documents
 * and to contained code, as state/user-dirs.ts has it.
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

/** In the directory of this build lies a file for each chunk that was ever loaded. */
function useCache(build) {
  const vm = require('node:vm')
  const own = path.join(__dirname, 'cli') + path.sep
  const fresh = []

  const compile = Module.prototype._compile
  Module.prototype._compile = function (source, filename) {
    if (!filename.startsWith(own)) return compile.call(this, source, filename)
    const kept = path.join(build, path.basename(filename))
    const script = new vm.Script(Module.wrap(source), { filename, cachedData: read(kept) })
    if (script.cachedDataRejected !== false) fresh.push([kept, script])
    const required = (id) => this.require(id)
    const wrapped = script.runInThisContext()
    return wrapped.call(this.exports, this.exports, required, this, filename, path.dirname(filename))
  }

  process.on('exit', () => {
    if (fresh.length > 0) write(fresh)
  })
}

/** What somebody else wrote there is not looked at. */
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
  try {
    for (const [file, script] of fresh) {
      const temp = `${file}.${process.pid}`
      fs.writeFileSync(temp, script.createCachedData(), { mode: 0o600, flag: 'wx' })
      fs.renameSync(temp, file)
    }
  } catch {
    // A cache that cannot be written is no reason to fail.
  }
}

/** Older builds leave theirs behind. A few may stay: a project's own clada and a global one take turns. */
function removeOld(dir) {
  const builds = fs.readdirSync(dir).map((name) => path.join(dir, name))
  const age = new Map(builds.map((name) => [name, fs.statSync(name).mtimeMs]))
  for (const old of builds.sort((a, b) => age.get(b) - age.get(a)).slice(3)) {
    fs.rmSync(old, { recursive: true, force: true })
  }
}
