#!/usr/bin/env node
// Starts the command line with what V8 made of it last time: compiling is a third of the time that a small run takes.
// Newer Nodes do this themselves. Without a cache of the user's own, or with one that does not fit, nothing is lost but
// that time. `CLADA_NO_CACHE=1` leaves it alone.
'use strict'

const Module = require('node:module')
const path = require('node:path')

/** The digest of everything in `cli/`, set when the package is built. */
const BUILD = 'unbuilt'

const dir = process.env.CLADA_NO_CACHE ? undefined : cacheDir()
if (dir !== undefined && typeof Module.enableCompileCache === 'function') Module.enableCompileCache(dir)
else if (dir !== undefined) useCache(path.join(dir, `${process.version}-${process.arch}-${BUILD}.bin`))
require('./cli/main.cjs')

/** Undefined where the user has no directory of their own for it: in a shared one anybody could lay code for us. */
function cacheDir() {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = process.env
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'))
  return base && path.isAbsolute(base) ? path.join(base, 'clada') : undefined
}

function useCache(file) {
  const fs = require('node:fs')
  const v8 = require('node:v8')
  const vm = require('node:vm')
  const own = path.join(__dirname, 'cli') + path.sep
  const known = read(fs, v8, file)
  const fresh = []

  const compile = Module.prototype._compile
  Module.prototype._compile = function (source, filename) {
    if (!filename.startsWith(own)) return compile.call(this, source, filename)
    const name = path.basename(filename)
    const script = new vm.Script(Module.wrap(source), { filename, cachedData: known[name] })
    if (known[name] === undefined || script.cachedDataRejected) fresh.push([name, script])
    const required = (id) => this.require(id)
    const wrapped = script.runInThisContext()
    return wrapped.call(this.exports, this.exports, required, this, filename, path.dirname(filename))
  }

  process.on('exit', () => {
    if (fresh.length > 0) write(fs, v8, file, known, fresh)
  })
}

/** What somebody else wrote there is not looked at. */
function read(fs, v8, file) {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    try {
      const { uid, mode } = fs.fstatSync(fd)
      if (process.getuid && (uid !== process.getuid() || mode & 0o022)) return {}
      return v8.deserialize(fs.readFileSync(fd))
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return {}
  }
}

function write(fs, v8, file, known, fresh) {
  try {
    for (const [name, script] of fresh) known[name] = script.createCachedData()
    const dir = path.dirname(file)
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
    const temp = `${file}.${process.pid}`
    fs.writeFileSync(temp, v8.serialize(known), { mode: 0o600, flag: 'wx' })
    fs.renameSync(temp, file)
    removeOld(fs, dir)
  } catch {
    // A cache that cannot be written is no reason to fail.
  }
}

/** Older builds leave theirs behind. A few may stay: a project's own clada and a global one take turns. */
function removeOld(fs, dir) {
  const caches = fs.readdirSync(dir).filter((name) => name.endsWith('.bin'))
  const age = new Map(caches.map((name) => [name, fs.statSync(path.join(dir, name)).mtimeMs]))
  for (const name of caches.sort((a, b) => age.get(b) - age.get(a)).slice(3)) {
    fs.rmSync(path.join(dir, name), { force: true })
  }
}
