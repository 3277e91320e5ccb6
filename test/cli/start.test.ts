import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, inject, it } from 'vitest'
import { fill, scratchDir } from '../support/scratch.ts'

/** What a start loads is what it costs. Times are for the benchmarks; here is what must not creep in. */
it('a run of one block loads what it needs and nothing else', () => {
  const root = scratchDir({
    'tell.cjs': `process.on('exit', () => {
      const parts = process.moduleLoadList.flatMap((name) => /^NativeModule (?!internal)(.*)/.exec(name)?.[1] ?? [])
      const told = { files: Object.keys(require.cache), parts }
      require('node:fs').writeFileSync('told.json', JSON.stringify(told))
    })`,
  })
  const tell = path.join(root, 'tell.cjs')
  const lines = ['action = "file_write"', `path = "${root}/a.txt"`, 'content = "x"']
  fill(root, { 'one.md': ['#!SHAM [@three-char-SHA-256: abc]', ...lines, '#!END_SHAM_abc', ''].join('\n') })
  const run = (): { files: string[]; parts: string[] } => {
    const args = ['--require', tell, inject('cli'), '--no-git', 'one.md']
    execFileSync(process.execPath, args, { cwd: root, stdio: 'pipe' })
    return JSON.parse(fs.readFileSync(path.join(root, 'told.json'), 'utf8'))
  }
  run()
  const { files, parts } = run()
  expect(files.filter((file) => file !== tell).map((file) => path.basename(file))).toEqual([
    'cli.cjs',
    'main.cjs',
    'cli-run.cjs',
    'run-pack.cjs',
  ])
  const heavy = ['crypto', 'child_process', 'http', 'net', 'tty', 'perf_hooks', 'readline', 'stream', 'worker_threads']
  expect(parts.filter((part) => heavy.includes(part))).toEqual([])
})
