import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type ActionResult, Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { blocks } from './blocks.ts'
import { skipWithout } from '../support/needs.ts'

/** Swaps two names, over and over, until its input ends. In one step, so that both names are always there. */
const exchange = `
import ctypes, os, select, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = (os.fsencode(name) for name in sys.argv[1:3])
print('ready', flush=True)
flips = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(50):
        if libc.renameat2(-100, a, -100, b, 2) != 0:
            raise OSError(ctypes.get_errno(), 'renameat2')
        flips += 1
if flips % 2:
    libc.renameat2(-100, a, -100, b, 2)
print(flips)
`

const links = process.platform === 'linux'

test.skipIf(!links)(
  'a directory that turns into a link to the outside and back lets nothing out and nothing in (Linux only)',
  async (context) => {
    skipWithout(context, 'python3')
    const parent = scratchDir({
      'outside/secret.txt': 'canary',
      'outside/victim.txt': 'victim',
      'project/dir/secret.txt': 'harmless',
      'project/src/a.txt': 'a',
    })
    const root = path.join(parent, 'project')
    const dir = path.join(root, 'dir')
    fs.symlinkSync(path.join(parent, 'outside'), path.join(root, 'swap'))

    const args = ['-c', exchange, dir, path.join(root, 'swap')]
    const flipper = spawn('python3', args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let output = ''
    flipper.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    while (!output.includes('ready')) await once(flipper.stdout, 'data')

    const results: ActionResult[] = []
    let writes = 0
    // Until both happened, so that there was a race to win.
    const codes = new Set<string | undefined>()
    while (writes < 2000 || !codes.has('symlink_not_allowed') || !codes.has(undefined)) {
      const calls = Array.from(
        { length: 100 },
        () => ['file_write', { path: path.join(dir, `new-${writes++}.txt`), content: 'ours' }] as const,
      )
      const others = [
        ['file_read', { path: path.join(dir, 'secret.txt') }],
        ['file_append', { path: path.join(dir, 'secret.txt'), content: '+' }],
        ['file_copy', { old_path: path.join(dir, 'secret.txt'), new_path: path.join(root, `copy-${writes}.txt`) }],
        ['file_move', { old_path: path.join(dir, 'victim.txt'), new_path: path.join(root, `moved-${writes}.txt`) }],
        ['file_move', { old_path: path.join(root, 'src/a.txt'), new_path: path.join(dir, 'a.txt') }],
        ['file_move', { old_path: path.join(dir, 'a.txt'), new_path: path.join(root, 'src/a.txt') }],
        ['file_delete', { path: path.join(dir, 'victim.txt') }],
        ['dir_create', { path: path.join(dir, `sub-${writes}/deep`) }],
        ['grep', { pattern: 'canary', path: dir }],
        ['glob', { pattern: '**/victim*', base_path: dir }],
        ['ls', { path: dir }],
      ] as const
      const document = blocks(
        ...calls.flatMap((call, at) => [call, ...(at % 9 === 5 ? [others[Math.floor(at / 9)] ?? call] : [])]),
      )
      results.push(...(await new Clada({ repoPath: root, gitCommit: false }).execute(document)).results)
      for (const { code } of results) codes.add(code)
    }
    flipper.stdin.end()
    await once(flipper, 'close')

    expect(fs.readdirSync(path.join(parent, 'outside')).sort()).toEqual(['secret.txt', 'victim.txt'])
    expect(fs.readFileSync(path.join(parent, 'outside/secret.txt'), 'utf8')).toBe('canary')
    expect(fs.readFileSync(path.join(parent, 'outside/victim.txt'), 'utf8')).toBe('victim')
    expect(JSON.stringify(results.map(({ data, error, details }) => ({ data, error, details })))).not.toContain(
      'canary',
    )
    expect(Number(output.trim().split('\n').at(-1))).toBeGreaterThan(1000)
    expect(codes).not.toContain('internal_error')
  },
)
