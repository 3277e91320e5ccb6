// Everything at once, for a while: a listener, an MCP server, the library and the command line on the files of one
// project, with an editor, the user's git and its gc, kills and a full disk. Nothing may be lost, and what runs for long
// may not grow.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'

const pause = (ms) => new Promise((done) => setTimeout(done, ms))
const names = Array.from({ length: 12 }, (_, at) => `f${at}.txt`)
const any = (list) => list[Math.floor(Math.random() * list.length)]

/** Returns the text for docs/internals/reliability.md. `scratch` is a directory of its own. */
export async function soak(home, scratch, minutes) {
  const root = path.join(scratch, 'soak')
  fs.mkdirSync(root)
  // Only root can mount a disk that is small enough to fill.
  const small = process.geteuid?.() === 0
  if (small) execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'clada-soak', root])
  try {
    return await onDisk(home, root, minutes, small)
  } finally {
    if (small) execFileSync('umount', ['-l', root])
  }
}

async function onDisk(home, root, minutes, small) {
  const cli = path.join(home, 'packages/clada/dist/cli.cjs')
  const file = (name) => path.join(root, name)
  const git = (...args) =>
    new Promise((done) =>
      execFile('git', ['-c', 'user.name=u', '-c', 'user.email=u@example.com', ...args], { cwd: root }, (error) =>
        done(error === null),
      ),
    )
  for (const name of names) fs.writeFileSync(file(name), '')
  fs.writeFileSync(file('.gitignore'), 'ballast\n*~\nclada_input.md\n')
  fs.writeFileSync(file('clada_input.md'), '')
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'first'],
  ])
    await git(...args)

  const until = Date.now() + minutes * 60_000
  const going = () => Date.now() < until
  const counts = { saves: 0, runs: 0, failed: 0, kills: 0, fills: 0, commits: 0 }
  const typed = []
  let word = 0
  const document = (who) => {
    const blocks = Array.from({ length: 3 }, () => {
      return `#!SHAM [@three-char-SHA-256: abc]\naction = "file_append"\npath = "${file(any(names))}"\ncontent = "${who}${word++};"\n#!END_SHAM_abc\n`
    })
    return blocks.join('\n')
  }

  // An editor waits until there is space again: it would lose its own text.
  let full = false
  let saving = 0
  const edit = async (name, which) => {
    for (let at = 0; going(); at++) {
      while (full) await pause(20)
      saving++
      const mine = `e${which}-${at};`
      const text = fs.readFileSync(file(name), 'utf8') + mine
      if (at % 3 > 0) {
        fs.writeFileSync(file(`${name}~`), text)
        fs.renameSync(file(`${name}~`), file(name))
      } else {
        const fd = fs.openSync(file(name), 'w')
        await pause(Math.random() ** 4 * 3000)
        fs.writeSync(fd, text)
        fs.closeSync(fd)
      }
      typed.push(mine)
      saving--
      await pause(Math.random() * 1000)
    }
  }
  const fill = async () => {
    while (small && going()) {
      await pause(15_000)
      full = true
      while (saving > 0) await pause(10)
      try {
        fs.writeFileSync(file('ballast'), Buffer.alloc(400 * 1024 * 1024))
      } catch {
        counts.fills++
      }
      await pause(1500)
      fs.rmSync(file('ballast'), { force: true })
      full = false
    }
  }
  const run = async () => {
    while (going()) {
      const child = spawn(process.execPath, [cli, 'run', '-', '--quiet', '--root', root], {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      })
      child.stdin.on('error', () => {})
      child.stdin.end(document('c'))
      const ended = once(child, 'close')
      if (Math.random() < 0.3) {
        await pause(Math.random() * 1500)
        try {
          process.kill(-child.pid, 'SIGKILL')
          counts.kills++
        } catch {
          // It has ended already.
        }
      }
      await ended
      counts.runs++
      if (child.exitCode !== 0) counts.failed++
      await pause(200)
    }
  }
  const useGit = async () => {
    for (let at = 0; going(); at++) {
      await pause(1000 + Math.random() * 2000)
      await git('status')
      if (await git('commit', '-qam', `mine ${at}`)) counts.commits++
      if (at % 10 === 9) await git('gc', '-q')
    }
  }

  const library = `
    const { Clada } = await import(${JSON.stringify(path.join(home, 'packages/clada/dist/index.js'))})
    const clada = new Clada({ repoPath: ${JSON.stringify(root)}, git: 'commit' })
    for await (const line of (await import('node:readline')).createInterface({ input: process.stdin })) {
      const { success } = await clada.execute(JSON.parse(line)).catch(() => ({ success: false }))
      console.log(success)
    }`
  const servers = {
    watch: spawn(process.execPath, [cli, 'watch', '--root', root], { stdio: ['pipe', 'ignore', 'ignore'] }),
    mcp: spawn(process.execPath, [cli, 'mcp', '--root', root], { stdio: ['pipe', 'pipe', 'ignore'] }),
    library: spawn(process.execPath, ['--input-type=module', '-e', library], { stdio: ['pipe', 'pipe', 'ignore'] }),
  }
  const ask = async ({ stdin, stdout }, line) => {
    stdin.write(`${line}\n`)
    await Promise.race([once(stdout, 'data'), pause(60_000)])
  }
  const useLibrary = async () => {
    for (; going(); counts.runs++, await pause(300)) await ask(servers.library, JSON.stringify(document('l')))
  }
  const useMcp = async () => {
    const call = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
    await ask(servers.mcp, call(1, 'initialize', client))
    servers.mcp.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    for (let id = 2; going(); id++, counts.runs++, await pause(300))
      await ask(servers.mcp, call(id, 'tools/call', { name: 'execute', arguments: { document: document('m') } }))
  }
  const useWatch = async () => {
    for (; going(); counts.runs++, await pause(4000)) {
      while (full) await pause(20)
      fs.writeFileSync(file('clada_input.md~'), document('w'))
      fs.renameSync(file('clada_input.md~'), file('clada_input.md'))
    }
  }

  const sizes = Object.fromEntries(Object.keys(servers).map((name) => [name, []]))
  const measure = async () => {
    while (going()) {
      await pause(2000)
      for (const [name, { pid, exitCode }] of Object.entries(servers)) {
        if (exitCode !== null) throw new Error(`${name} ended with ${exitCode}`)
        const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
        sizes[name].push({ memory: Number(kilobytes) / 1024, descriptors: fs.readdirSync(`/proc/${pid}/fd`).length })
      }
    }
  }
  const editors = names.slice(0, 8).map(edit)
  await Promise.all([...editors, fill(), run(), run(), useGit(), useLibrary(), useMcp(), useWatch(), measure()])
  await pause(2000)
  for (const server of Object.values(servers)) {
    const ended = once(server, 'close')
    server.kill('SIGTERM')
    await Promise.race([ended, pause(10_000)])
    server.kill('SIGKILL')
  }

  // The next run tidies up after the killed ones, and everything works as ever.
  const finish = (args, input = '') =>
    execFileSync(process.execPath, [cli, ...args, '--root', root], { input, encoding: 'utf8' })
  finish(['run', '-'], document('c'))
  finish(['undo'])
  execFileSync('git', ['fsck', '--strict', '--no-dangling'], { cwd: root, stdio: 'pipe' })
  const left = fs.readdirSync(root).filter((name) => /^\.clada-|\.tmp$/.test(name))
  const [id = ''] = fs.readdirSync(file('.git/clada'))
  const state = (dir) => {
    const kept = file(`.git/clada/${id}/${dir}`)
    return fs.existsSync(kept) ? fs.readdirSync(kept).map((name) => path.join(kept, name)) : []
  }
  const apart = [...state('conflicts'), ...state('displaced')]
  const everything = [...names.map(file), ...apart].map((name) => fs.readFileSync(name, 'utf8')).join('')
  const lost = typed.filter((one) => !everything.includes(one))
  const torn = names.filter((name) => !/^([a-z]\d+(-\d+)?;)*$/.test(fs.readFileSync(file(name), 'utf8')))
  counts.saves = typed.length
  const middle = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]
  const third = (list, from) =>
    list.slice(Math.floor((list.length * from) / 3), Math.ceil((list.length * (from + 1)) / 3))
  const growth = Object.entries(sizes).map(([name, list]) => {
    const [begin, end] = [0, 2].map((part) => third(list, part))
    const of = (part, what) => Math.round(middle(part.map((one) => one[what])))
    return `${name}: ${of(begin, 'memory')} to ${of(end, 'memory')} MB, ${of(begin, 'descriptors')} to ${of(end, 'descriptors')} descriptors`
  })
  console.log({ counts, lost, torn, left, apart: apart.length, growth })
  if (lost.length + torn.length + left.length > 0) process.exitCode = 1
  return [
    `${minutes} minutes: ${counts.runs} runs (${counts.kills} killed), ${counts.saves} saves of editors (${apart.length} saved apart), ${counts.commits} commits of the user, ${counts.fills} times a full disk.`,
    `Lost or torn: ${lost.length + torn.length}. ${growth.join('; ')}.`,
  ].join('\n')
}
