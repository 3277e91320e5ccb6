import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** One call that changed names or contents below a directory, or brought them to the disk. Inodes are numbers of ours. */
export type Op =
  | { readonly kind: 'make'; readonly path: string; readonly inode: number; readonly type: 'file' | 'directory' }
  | { readonly kind: 'symlink'; readonly path: string; readonly inode: number; readonly target: string }
  | { readonly kind: 'link'; readonly path: string; readonly inode: number }
  | { readonly kind: 'unlink'; readonly path: string }
  | {
      readonly kind: 'rename'
      readonly from: string
      readonly to: string
      readonly exchange: boolean
      /** What got the new name, whether or not its old one had reached the disk. */
      readonly inode: number | undefined
    }
  | { readonly kind: 'write'; readonly inode: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly inode: number; readonly size: number }
  /** `names`: those of a directory. `all`: everything on the file system. */
  | { readonly kind: 'sync'; readonly inode: number; readonly what: 'content' | 'names' | 'all' | 'written out' }

/** A file system in memory: the names of a directory and what they lead to. */
export interface Tree {
  readonly names: Map<string, number>
  readonly inodes: Map<number, Inode>
}

export type Inode =
  | { readonly type: 'directory'; readonly mode: number }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'file'; readonly mode: number; readonly bytes: Buffer }

/** Everything below a directory; hard links are one inode. */
export function readTree(dir: string): Tree {
  const names = new Map<string, number>()
  const inodes = new Map<number, Inode>()
  const known = new Map<number, number>()
  const visit = (at: string): void => {
    for (const name of fs.readdirSync(path.join(dir, at))) {
      const short = path.join(at, name)
      const file = path.join(dir, short)
      const stat = fs.lstatSync(file)
      const number = known.get(stat.ino) ?? known.size + 1
      known.set(stat.ino, number)
      names.set(short, number)
      const mode = stat.mode & 0o777
      if (stat.isSymbolicLink()) inodes.set(number, { type: 'symlink', target: fs.readlinkSync(file) })
      else if (stat.isFile()) inodes.set(number, { type: 'file', mode, bytes: fs.readFileSync(file) })
      else if (stat.isDirectory()) {
        inodes.set(number, { type: 'directory', mode })
        visit(short)
      }
    }
  }
  visit('')
  return { names, inodes }
}

/** Puts a tree in the place of whatever is in a directory. */
export function writeTree(dir: string, { names, inodes }: Tree): void {
  fs.rmSync(dir, { recursive: true, force: true })
  fs.mkdirSync(dir, { recursive: true })
  const made = new Map<number, string>()
  for (const [short, number] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const file = path.join(dir, short)
    const inode = inodes.get(number)
    const first = made.get(number)
    // Without its directory a name leads nowhere.
    if (inode === undefined || !fs.existsSync(path.dirname(file))) continue
    if (inode.type === 'directory') fs.mkdirSync(file)
    else if (first !== undefined) fs.linkSync(first, file)
    else if (inode.type === 'symlink') fs.symlinkSync(inode.target, file)
    else fs.writeFileSync(file, inode.bytes, { mode: inode.mode })
    if (inode.type === 'file') {
      fs.chmodSync(file, inode.mode)
      // Nobody is just writing it.
      fs.utimesSync(file, hourAgo, hourAgo)
    }
    made.set(number, file)
  }
}

const hourAgo = Date.now() / 1000 - 3600

const calls =
  'openat,open,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,copy_file_range,sendfile,ioctl,' +
  'link,linkat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,symlink,symlinkat,' +
  'fsync,fdatasync,syncfs,sync,sync_file_range,close,lseek,dup,dup2,dup3,fcntl,clone,clone3,fork,vfork,chdir'

/** Runs a program under strace and returns its calls that concern a directory, which `before` describes. */
export function record(
  dir: string,
  before: Tree,
  command: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; input?: string },
): { readonly ops: Op[]; readonly status: number | null; readonly stdout: string } {
  const trace = `${dir}.trace`
  const args = ['-f', '-y', '-xx', '-qq', '-s', '4000000', '-e', `trace=${calls}`, '-e', 'signal=none', '-o', trace]
  const { status, stdout, stderr } = spawnSync('strace', [...args, ...command], {
    ...options,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  try {
    return { ops: new Reader(dir, before).read(fs.readFileSync(trace, 'latin1')), status, stdout: stdout + stderr }
  } finally {
    fs.rmSync(trace, { force: true })
  }
}

interface Descriptor {
  readonly inode: number | undefined
  readonly path: string
  at: number
}

/** Follows names, inodes and descriptors through a trace. */
class Reader {
  readonly #dir: string
  readonly #names: Map<string, number>
  readonly #sizes = new Map<number, number>()
  readonly #contents = new Map<number, Buffer>()
  readonly #directories = new Set<number>()
  readonly #groups = new Map<string, string>()
  readonly #cwd = new Map<string, string>()
  readonly #open = new Map<string, Descriptor>()
  readonly #ops: Op[] = []
  #next = 1_000_000

  constructor(dir: string, { names, inodes }: Tree) {
    this.#dir = dir
    this.#names = new Map(names)
    for (const [number, inode] of inodes) {
      if (inode.type === 'directory') this.#directories.add(number)
      if (inode.type === 'file') this.#contents.set(number, inode.bytes)
    }
  }

  read(trace: string): Op[] {
    const begun = new Map<string, string>()
    for (const line of trace.split('\n')) {
      const [, tid = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? []
      if (rest.endsWith('<unfinished ...>')) {
        begun.set(tid, rest.slice(0, -'<unfinished ...>'.length))
        continue
      }
      const [, end] = /^<\.\.\. \w+ resumed>(.*)$/s.exec(rest) ?? []
      const whole = end === undefined ? rest : (begun.get(tid) ?? '') + end
      const [, name = '', args = '', result = ''] = /^(\w+)\((.*)\) += (-?\d+|\?)/s.exec(whole) ?? []
      if (name !== '' && !result.startsWith('-') && result !== '?') this.#call(tid, name, args, Number(result))
    }
    return this.#ops
  }

  #call(tid: string, name: string, args: string, result: number): void {
    const group = this.#groups.get(tid) ?? tid
    if (/^(clone3?|v?fork)$/.test(name)) {
      const child = String(result)
      this.#groups.set(child, args.includes('CLONE_THREAD') ? group : child)
      if (!args.includes('CLONE_THREAD')) this.#cwd.set(child, this.#cwd.get(group) ?? '/')
      return
    }
    const [, cwd] = /AT_FDCWD<([^>]*)>/.exec(args) ?? []
    if (cwd !== undefined) this.#cwd.set(group, unhex(cwd))
    const words = wordsIn(args)
    const at = (index: number): string | undefined => this.#short(this.#path(group, undefined, words[index]))
    const atDir = (index: number): string | undefined => this.#short(this.#path(group, words[index], words[index + 1]))
    const file = (index: number): Descriptor | undefined =>
      this.#open.get(`${group}:${Number.parseInt(words[index] ?? '', 10)}`)
    switch (name) {
      case 'openat':
        return this.#opened(group, result, this.#path(group, words[0], words[1]), words[2] ?? '')
      case 'open':
        return this.#opened(group, result, this.#path(group, undefined, words[0]), words[1] ?? '')
      case 'creat':
        return this.#opened(group, result, this.#path(group, undefined, words[0]), 'O_CREAT|O_TRUNC')
      case 'close':
        this.#open.delete(`${group}:${Number.parseInt(words[0] ?? '', 10)}`)
        return
      case 'lseek': {
        const opened = file(0)
        if (opened !== undefined) opened.at = result
        return
      }
      case 'write':
        return this.#write(file(0), bytesIn(words[1]).subarray(0, result), undefined)
      case 'pwrite64':
        return this.#write(file(0), bytesIn(words[1]).subarray(0, result), Number(words[3]))
      case 'writev':
      case 'pwritev': {
        const parts = [...(words[1] ?? '').matchAll(/iov_base="((?:\\x..)*)"/g)].map(([, hex = '']) =>
          bytesIn(`"${hex}"`),
        )
        return this.#write(
          file(0),
          Buffer.concat(parts).subarray(0, result),
          name === 'writev' ? undefined : Number(words[3]),
        )
      }
      case 'copy_file_range':
      case 'sendfile': {
        const [from, to] = name === 'sendfile' ? [file(1), file(0)] : [file(0), file(2)]
        const source = this.#contents.get(from?.inode ?? -1) ?? Buffer.alloc(0)
        const begin = from?.at ?? 0
        if (from !== undefined) from.at += result
        return this.#write(to, source.subarray(begin, begin + result), undefined)
      }
      case 'ioctl': {
        if (!args.includes('FICLONE')) return
        const [, source = ''] = /FICLONE, (\d+)/.exec(args) ?? []
        const from = this.#open.get(`${group}:${source}`)
        return this.#write(file(0), this.#contents.get(from?.inode ?? -1) ?? Buffer.alloc(0), 0)
      }
      case 'ftruncate':
        return this.#truncate(file(0)?.inode, Number(words[1]))
      case 'truncate':
        return this.#truncate(this.#names.get(at(0) ?? ''), Number(words[1]))
      case 'link':
      case 'linkat': {
        const [from, to] = name === 'link' ? [at(0), at(1)] : [atDir(0), atDir(2)]
        const inode = this.#names.get(from ?? '')
        if (inode === undefined || to === undefined) return
        this.#names.set(to, inode)
        this.#ops.push({ kind: 'link', path: to, inode })
        return
      }
      case 'unlink':
      case 'rmdir':
      case 'unlinkat': {
        const gone = name === 'unlinkat' ? atDir(0) : at(0)
        if (gone === undefined || !this.#names.delete(gone)) return
        this.#ops.push({ kind: 'unlink', path: gone })
        return
      }
      case 'rename':
        return this.#rename(at(0), at(1), false)
      case 'renameat':
      case 'renameat2':
        return this.#rename(atDir(0), atDir(2), args.includes('RENAME_EXCHANGE'))
      case 'mkdir':
        return this.#make(at(0), 'directory')
      case 'mkdirat':
        return this.#make(atDir(0), 'directory')
      case 'symlink':
      case 'symlinkat': {
        const made = name === 'symlink' ? at(1) : atDir(1)
        if (made === undefined) return
        const inode = this.#next++
        this.#names.set(made, inode)
        this.#ops.push({ kind: 'symlink', path: made, inode, target: textIn(words[0]) })
        return
      }
      case 'fsync':
      case 'fdatasync': {
        const inode = file(0)?.inode
        if (inode === undefined) return
        this.#ops.push({ kind: 'sync', inode, what: this.#directories.has(inode) ? 'names' : 'content' })
        return
      }
      case 'sync_file_range': {
        const inode = file(0)?.inode
        if (inode !== undefined) this.#ops.push({ kind: 'sync', inode, what: 'written out' })
        return
      }
      case 'sync':
      case 'syncfs':
        this.#ops.push({ kind: 'sync', inode: 0, what: 'all' })
    }
  }

  #opened(group: string, fd: number, absolute: string, flags: string): void {
    const short = this.#short(absolute)
    if (short !== undefined && flags.includes('O_CREAT') && !this.#names.has(short)) this.#make(short, 'file')
    const inode = short === undefined ? undefined : this.#names.get(short)
    if (inode !== undefined && flags.includes('O_TRUNC')) this.#truncate(inode, 0)
    const at = flags.includes('O_APPEND')
      ? (this.#sizes.get(inode ?? -1) ?? this.#contents.get(inode ?? -1)?.length ?? 0)
      : 0
    this.#open.set(`${group}:${fd}`, { inode, path: absolute, at })
  }

  #make(short: string | undefined, type: 'file' | 'directory'): void {
    if (short === undefined || short === '') return
    const inode = this.#next++
    this.#names.set(short, inode)
    if (type === 'directory') this.#directories.add(inode)
    else this.#contents.set(inode, Buffer.alloc(0))
    this.#ops.push({ kind: 'make', path: short, inode, type })
  }

  #write(to: Descriptor | undefined, bytes: Buffer, given: number | undefined): void {
    if (to?.inode === undefined || bytes.length === 0) return
    const at = given ?? to.at
    if (given === undefined) to.at += bytes.length
    this.#contents.set(to.inode, written(this.#contents.get(to.inode) ?? Buffer.alloc(0), at, bytes))
    this.#ops.push({ kind: 'write', inode: to.inode, at, bytes })
  }

  #truncate(inode: number | undefined, size: number): void {
    const before = this.#contents.get(inode ?? -1)
    if (inode === undefined || before === undefined || before.length === size) return
    this.#contents.set(inode, resized(before, size))
    this.#ops.push({ kind: 'truncate', inode, size })
  }

  #rename(from: string | undefined, to: string | undefined, exchange: boolean): void {
    if (from === undefined || to === undefined) return
    const inode = this.#names.get(from)
    renameIn(this.#names, { from, to, exchange, inode })
    this.#ops.push({ kind: 'rename', from, to, exchange, inode })
  }

  /** The absolute path of an argument. A descriptor of the process may be part of it. */
  #path(group: string, dirfd: string | undefined, word: string | undefined): string {
    const given = textIn(word)
    const [, owner = '', fd, below = ''] = /^\/proc\/(self|\d+)\/fd\/(\d+)(\/.*)?$/.exec(given) ?? []
    const whose = owner === 'self' ? group : (this.#groups.get(owner) ?? owner)
    if (fd !== undefined) return path.join(this.#open.get(`${whose}:${fd}`)?.path ?? '/nowhere', below)
    const [, annotated] = /^\d+<([^>]*)>/.exec(dirfd ?? '') ?? []
    return path.resolve(annotated === undefined ? (this.#cwd.get(group) ?? '/') : unhex(annotated), given)
  }

  #short(absolute: string): string | undefined {
    if (absolute === this.#dir) return ''
    return absolute.startsWith(`${this.#dir}/`) ? absolute.slice(this.#dir.length + 1) : undefined
  }
}

/** The arguments of a call: strings have no quotes or commas of their own, because every byte is in hexadecimal. */
function wordsIn(args: string): string[] {
  const words: string[] = []
  let depth = 0
  let word = ''
  for (const part of args.split(/(, |[[\]{}])/)) {
    if (part === '[' || part === '{') depth++
    if (part === ']' || part === '}') depth--
    if (part === ', ' && depth === 0) {
      words.push(word)
      word = ''
    } else word += part
  }
  return [...words, word]
}

const bytesIn = (word: string | undefined): Buffer => Buffer.from((word ?? '').replaceAll(/\\x|"|\.\.\./g, ''), 'hex')
const unhex = (text: string): string => text.replaceAll(/(?:\\x[0-9a-f]{2})+/g, (hex) => bytesIn(hex).toString())
const textIn = (word: string | undefined): string =>
  bytesIn(word?.replace(/^[^"]*"/, '').replace(/".*$/, '')).toString()

export function written(before: Buffer, at: number, bytes: Buffer): Buffer {
  const after = Buffer.alloc(Math.max(before.length, at + bytes.length))
  before.copy(after)
  bytes.copy(after, at)
  return after
}

export function resized(before: Buffer, size: number): Buffer {
  const after = Buffer.alloc(size)
  before.copy(after, 0, 0, Math.min(size, before.length))
  return after
}

/** With everything below it. */
export function renameIn(
  names: Map<string, number>,
  { from, to, exchange, inode }: Omit<Extract<Op, { kind: 'rename' }>, 'kind'>,
): void {
  const moved = take(names, from)
  const displaced = take(names, to)
  if (inode !== undefined) names.set(to, inode)
  for (const [below, inode] of moved) names.set(to + below, inode)
  if (exchange) for (const [below, inode] of displaced) names.set(from + below, inode)
}

function take(names: Map<string, number>, at: string): [string, number][] {
  const found = [...names].filter(([name]) => name === at || name.startsWith(`${at}/`))
  for (const [name] of found) names.delete(name)
  return found.map(([name, inode]) => [name.slice(at.length), inode])
}
