// Programs that clada starts, and the watcher.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { block, cli, env, library, scratch, spawned, timed, writeFiles } from '../measure.mjs'

const hundredFiles = () =>
  writeFiles(
    path.join(scratch, 'programs'),
    Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`src/f${at}.txt`, `text ${at}\n`])),
  )

const started = (program, args, options) =>
  timed(() => new Promise((done) => spawn(program, args, { stdio: 'ignore', ...options }).on('close', done)))

async function performing(root, action, params) {
  const { Clada } = await import(library)
  const clada = new Clada({ repoPath: root, gitCommit: false })
  return () =>
    timed(async () => {
      const { success, results } = await clada.perform(action, params)
      if (!success) throw new Error(results[0]?.error)
    })
}

export const rows = [
  {
    id: 'programs-listed',
    what: '`run` of `wc -l` on a file',
    beside: '`wc -l` itself',
    rounds: 50,
    async measure() {
      const root = hundredFiles()
      return {
        ours: await performing(root, 'run', { command: 'wc -l src/f1.txt' }),
        peer: () => started('wc', ['-l', 'src/f1.txt'], { cwd: root }),
      }
    },
  },
  {
    id: 'programs-exec',
    what: '`exec` of `true` in a project of 100 files',
    beside: 'bubblewrap itself',
    rounds: 50,
    async measure() {
      const root = hundredFiles()
      const bounds = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--bind', root, root]
      return {
        ours: await performing(root, 'exec', { lang: 'bash', code: 'true' }),
        peer: () => started('bwrap', [...bounds, 'bash', '-c', 'true']),
      }
    },
  },
  {
    id: 'watch-thousand',
    what: '1,000 blocks saved into a watched file',
    beside: '`clada` with the same reply',
    rounds: 5,
    async measure() {
      const root = writeFiles(path.join(scratch, 'thousand'), { 'clada_input.md': '' })
      const input = path.join(root, 'clada_input.md')
      const watch = spawn(process.execPath, [cli, 'watch', '--no-git', '--root', root], { env })
      process.on('exit', () => watch.kill('SIGKILL'))
      await new Promise((done) => {
        let said = ''
        watch.stdout.on('data', (chunk) => (said += String(chunk)).includes('Watching') && done())
      })
      let round = 0
      const reply = () => {
        round++
        const names = Array.from({ length: 1000 }, (_, at) => path.join(root, `r${round}n${at}.txt`))
        return {
          text: names.map((name) => block('file_write', { path: name, content: 'x' })).join(''),
          last: names.at(-1),
        }
      }
      return {
        ours() {
          const { text, last } = reply()
          return timed(async () => {
            fs.writeFileSync(`${input}~`, text)
            fs.renameSync(`${input}~`, input)
            while (!fs.readFileSync(input, 'utf8').split('=== END ===')[0].includes(`file_write ${last}\n`))
              await new Promise((done) => setTimeout(done, 5))
          })
        },
        peer() {
          const document = path.join(scratch, 'thousand.md')
          fs.writeFileSync(document, reply().text)
          return spawned([process.execPath, cli, '--no-git', '--root', root, document])
        },
      }
    },
  },
]
