// Large trees: searching, watching, and what a commit takes.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { block, cli, commitAll, env, library, manyFiles, scratch, spawned, timed } from '../measure.mjs'

export const rows = [
  {
    id: 'tree-status',
    what: 'one block with a commit, among 100,000 files',
    beside: '`git status`',
    rounds: 5,
    measure() {
      const root = manyFiles('status', 100_000)
      commitAll(root)
      const reply = path.join(scratch, 'status.md')
      let round = 0
      return {
        ours() {
          fs.writeFileSync(reply, block('file_write', { path: 'part-1/dir-1/file-1.txt', content: `round ${round++}` }))
          return spawned([process.execPath, cli, '--root', root, reply])
        },
        peer: () => spawned(['git', 'status'], { cwd: root }),
      }
    },
  },
  {
    id: 'tree-checkpoint',
    what: 'a block with a commit in a running process, among 20,000 files',
    beside: '`git status`, `git add -A`, `git commit`',
    rounds: 7,
    async measure() {
      const root = manyFiles('checkpoint', 20_000)
      commitAll(root)
      const { Clada } = await import(library)
      const clada = new Clada({ repoPath: root, git: 'commit' })
      let round = 0
      return {
        ours: () =>
          timed(async () => {
            const text = block('file_write', {
              path: path.join(root, 'part-1/dir-1/file-1.txt'),
              content: `round ${round++}`,
            })
            const { gitCommit } = await clada.execute(text)
            if (!gitCommit) throw new Error('no commit was made')
          }),
        peer: () => {
          fs.writeFileSync(path.join(root, 'part-1/dir-1/file-1.txt'), `git ${round++}`)
          return spawned(['sh', '-c', 'git status && git add -A && git commit -qm round'], { cwd: root })
        },
      }
    },
  },
  {
    id: 'tree-watch',
    what: '`clada watch` until it watches, among 100,000 files',
    beside: '`rg --files`',
    rounds: 5,
    measure() {
      const root = manyFiles('watch', 100_000)
      return {
        async ours() {
          const child = spawn(process.execPath, [cli, 'watch', '--no-git', '--root', root], { env })
          const took = await timed(
            () =>
              new Promise((done) => {
                let said = ''
                child.stdout.on('data', (chunk) => (said += String(chunk)).includes('Watching') && done())
              }),
          )
          // One that is killed leaves its lock, and the next start waits whether it is given up.
          await new Promise((done) => {
            child.on('close', done)
            child.kill('SIGTERM')
          })
          return took
        },
        peer: () => spawned([rgPath, '--files'], { cwd: root }),
      }
    },
  },
  {
    id: 'tree-grep',
    what: '`grep` over 20,000 files in a running process',
    beside: '`rg`',
    async measure() {
      const root = manyFiles('grep', 20_000)
      const { Clada } = await import(library)
      const clada = new Clada({ repoPath: root, gitCommit: false })
      return {
        ours: () =>
          timed(async () => {
            const { results } = await clada.perform('grep', { pattern: 'file 1999', path: '.' })
            if (results[0]?.data?.length !== 11) throw new Error('grep did not find what is there')
          }),
        peer: () => timed(() => spawnSync(rgPath, ['-n', '--hidden', '-F', 'file 1999', './'], { cwd: root })),
      }
    },
  },
]
