// Records what commands do to the disk, rebuilds disks that a power cut may leave, and tries to go on from there.
// Writes the table into docs/internals/reliability.md unless scenarios are named.
//
//   npm run powercut [-- --most N] [--seed N] [--model NAME] [NAME…]
//
// --most: how many disks of each scenario are tried for each model (32; Infinity: all). They are drawn in order of time from equal
// parts of all that there are, always the same for one --seed (1). --model: only this one.
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installDependencies, run, writeSection } from './setup.mjs'
import { loadSource } from './source.mjs'

const home = path.resolve(import.meta.dirname, '..')
installDependencies()
run(process.execPath, ['scripts/build.mjs'])
const { report } = await loadSource('test/powercut/report.ts')
const { values, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: 'string', default: '32' },
    seed: { type: 'string', default: '1' },
    model: { type: 'string' },
  },
})
const [most, seed] = [Number(values.most), Number(values.seed)]
const table = await report(
  path.join(home, 'packages/clada/dist/cli.cjs'),
  { only, most, seed, model: values.model },
  (line) => console.log(line),
)
const real = only.length === 0 || only.includes('real') ? realDisks() : []
for (const line of real) console.log(line)
const sampled = Number.isFinite(most)
  ? [`At most ${most} disks of each scenario for each model, drawn with seed ${seed}, and the end.`, '']
  : []
if (only.length === 0) writeSection('powercut', [...sampled, table, '', ...real].join('\n'))

/**
 * The same on real file systems, for root: an image is copied right after success, as a cut would leave it, and mounted
 * again.
 */
function realDisks() {
  return ['ext4', 'xfs', 'btrfs'].map((type) => {
    const mkfs = spawnSync('sh', ['-c', `command -v mkfs.${type}`]).status === 0
    if (process.geteuid?.() !== 0 || !mkfs) return `- ${type}: not tried here (needs root and mkfs.${type})`
    const cases = realCases()
    const results = cases.map(([name, change, check]) => {
      try {
        return onImage(type, change, check) ? [] : [name]
      } catch (error) {
        return [`${name} (${String(error.stderr || error.message).split('\n')[0]})`]
      }
    })
    const lost = results.flat()
    return `- ${type}, loop-mounted: ${cases.length - lost.length} of ${cases.length} came through${lost.length === 0 ? '' : `; lost: ${lost.join(', ')}`}`
  })
}

/** A command, and what must hold after the cut. */
function realCases() {
  const document = '<<<FILE>>>\na.txt\n<<<SEARCH>>>\nold\n<<<REPLACE>>>\nnew\n<<<END>>>\n'
  const program =
    '#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "bash"\ncode = "mkdir made; echo x > made/x.txt; echo more >> a.txt"\n#!END_SHAM_abc\n'
  return [
    ...['off', 'shadow', 'commit'].map((mode) => [
      `edit, ${mode}`,
      ({ clada }) => clada(['run', '-', '--git', mode], document),
      ({ clada, read }) => read('a.txt') === 'new\n' && clada(['undo', '--git', mode]) && read('a.txt') === 'old\n',
    ]),
    [
      'program with effects, off',
      ({ clada }) => clada(['run', '-', '--git', 'off'], program),
      ({ clada, read }) =>
        read('made/x.txt') === 'x\n' &&
        read('a.txt') === 'old\nmore\n' &&
        clada(['undo', '--git', 'off']) &&
        read('a.txt') === 'old\n',
    ],
    [
      'undo, commit',
      ({ clada }) => clada(['run', '-'], document) && clada(['undo']),
      ({ clada, read }) => read('a.txt') === 'old\n' && clada(['redo']) && read('a.txt') === 'new\n',
    ],
    [
      'back',
      ({ clada, root }) => {
        fs.writeFileSync(path.join(root, 'a.txt'), 'typed\n')
        fs.writeFileSync(path.join(root, 'untracked.txt'), 'untracked\n')
        return clada(['back'])
      },
      ({ clada, read }) => clada(['forward']) && read('a.txt') === 'typed\n' && read('untracked.txt') === 'untracked\n',
    ],
  ]
}

/** A process that has just ended may still hold the disk on a busy machine. */
function unmount(mount) {
  for (let at = 0; at < 20; at++) {
    if (spawnSync('umount', [mount]).status === 0) return
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  }
  execFileSync('umount', [mount])
}

function onImage(type, change, check) {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-image-'))
  const mount = path.join(base, 'mount')
  const root = path.join(mount, 'project')
  const env = { ...process.env, HOME: base, XDG_STATE_HOME: path.join(mount, 'state'), CLADA_CODE_CACHE: 'off' }
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@example.com', ...args], {
      cwd: root,
      env,
      stdio: 'pipe',
    })
  const clada = (args, input = '') =>
    spawnSync(process.execPath, [path.join(home, 'packages/clada/dist/cli.cjs'), ...args], { cwd: root, env, input })
      .status === 0
  const read = (name) => fs.readFileSync(path.join(root, name), 'utf8')
  const mounted = (image, work) => {
    // The copy has the name of the original, which may not be gone yet.
    execFileSync('mount', ['-o', type === 'xfs' ? 'loop,nouuid' : 'loop', image, mount])
    try {
      return work()
    } finally {
      unmount(mount)
    }
  }
  try {
    const [image, cut] = ['image', 'cut'].map((name) => path.join(base, name))
    fs.mkdirSync(mount)
    fs.writeFileSync(image, '')
    fs.truncateSync(image, 400 * 1024 * 1024)
    execFileSync(`mkfs.${type}`, type === 'ext4' ? ['-q', '-F', image] : ['-q', '-f', image])
    mounted(image, () => {
      fs.mkdirSync(root)
      fs.writeFileSync(path.join(root, 'a.txt'), 'old\n')
      git('init', '-q')
      git('add', '-A')
      git('commit', '-qm', 'first')
      git('commit', '-qm', 'second', '--allow-empty')
      execFileSync('sync')
      if (!change({ clada, root })) throw new Error('the command failed')
      fs.copyFileSync(image, cut)
    })
    return mounted(cut, () => {
      git('fsck', '--strict', '--no-dangling')
      return check({ clada, read })
    })
  } finally {
    fs.rmSync(base, { recursive: true, force: true })
  }
}
