#!/usr/bin/env node
// Starts the command line with what V8 made of it last time: compiling is a third of the time that a small run takes.
// Newer Nodes do this themselves. Without a cache of the user's own, or with one that does not fit, nothing is lost but
// that time. `CLADA_NO_CACHE=1` leaves it alone.
'use strict'

const Module = require('node:module')
const path = require('node:path')

if (typeof Module.enableCompileCache === 'function') Module.enableCompileCache()
else if (!process.env.CLADA_NO_CACHE) useCache()
require('./cli/main.cjs')

function useCache() {
  const fs = require('node:fs')
  const v8 = require('node:v8')
  const vm = require('node:vm')
  const own = path.join(__dirname, 'cli') + path.sep
  const file = cacheFile(fs)
  const known = file === undefined ? {} : read(fs, v8, file)
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
    if (file !== undefined && fresh.length > 0) write(fs, v8, file, known, fresh)
  })
}

/** One for each build and each Node; undefined where the user has no directory for it. */
function cacheFile(fs) {
  const base = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, '.cache'))
  if (!base || !path.isAbsolute(base)) return undefined
  const { mtimeMs } = fs.statSync(path.join(__dirname, 'cli', 'main.cjs'))
  return path.join(base, 'clada', `${process.version}-${process.arch}-${Math.floor(mtimeMs)}.bin`)
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
    // Older builds leave theirs behind.
    for (const name of fs.readdirSync(dir)) {
      if (name.endsWith('.bin') && name !== path.basename(file)) fs.rmSync(path.join(dir, name), { force: true })
    }
    const temp = `${file}.${process.pid}`
    fs.writeFileSync(temp, v8.serialize(known), { mode: 0o600, flag: 'wx' })
    fs.renameSync(temp, file)
  } catch {
    // A cache that cannot be written is no reason to fail.
  }
}
