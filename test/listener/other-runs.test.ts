import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { append, block, listening, traceOf, until } from './world.ts'
import { cladaCall, cladaCommand } from '../support/cli.ts'

/** A watcher on `project/notes/reply.md`; other runs have the project, a directory above or one below as their root. */
async function watched() {
  const above = scratchDir({ 'project/notes/reply.md': 'mine\n', 'project/notes/a.txt': 'a\n', 'project/b.txt': 'b\n' })
  const project = path.join(above, 'project')
  // It must not be possible to have a run write this into the file.
  const planted = append(project, 'bad')
  fs.writeFileSync(path.join(project, 'planted.md'), planted)
  fs.writeFileSync(path.join(project, 'notes/planted.md'), planted)
  const world = await listening(undefined, { dir: project, name: 'notes/reply.md' })
  const roots = { project, above, below: path.join(project, 'notes') }
  return { world, roots, planted, file: path.join(project, 'notes/reply.md') }
}

type Watched = Awaited<ReturnType<typeof watched>>

async function run(root: string, document: string, options: CladaOptions = {}): Promise<string> {
  const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true, proposals: 'apply', ...options })
  return JSON.stringify(await clada.execute(document))
}

/** The file is as it was, and nothing ran. A save by the user would run: the watcher is awake. */
async function expectUntouched({ world, file, roots }: Watched): Promise<void> {
  expect(fs.readFileSync(file, 'utf8')).toBe('mine\n')
  fs.writeFileSync(file, append(roots.project, 'end'))
  await until(() => traceOf(roots.project).includes('end'))
  await world.listener.stop()
  expect(traceOf(roots.project)).toEqual(['end'])
}

const sham = (action: string, params: Record<string, string>): string =>
  block('s1x', [
    `action = "${action}"`,
    ...Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ])

/** What a reply may try; `at` is the watched file as the root of that run has it, `from` a file with the planted text. */
const replies: Readonly<Record<string, (at: string, from: string, planted: string) => string>> = {
  file_write: (at, _, content) => sham('file_write', { path: at, content }),
  file_append: (at, _, content) => sham('file_append', { path: at, content }),
  file_edit: (at, _, new_text) => sham('file_edit', { path: at, old_text: 'mine', new_text }),
  file_insert_lines: (at, _, content) => sham('file_insert_lines', { path: at, after: '0', content }),
  files_replace_all_text: (at, _, new_text) =>
    sham('files_replace_all_text', { paths: at, old_text: 'mine', new_text }),
  'file_move onto it': (at, from) => sham('file_move', { old_path: from, new_path: at }),
  'file_copy onto it': (at, from) => sham('file_copy', { old_path: from, new_path: at }),
  'file_move of it': (at) => sham('file_move', { old_path: at, new_path: `${at}.bak` }),
  file_delete: (at) => sham('file_delete', { path: at }),
  'run rm': (at) => sham('run', { command: `rm ${at}` }),
  'run cp': (at, from) => sham('run', { command: `cp ${from} ${at}` }),
  'run mv': (at, from) => sham('run', { command: `mv ${from} ${at}` }),
  'a CSL block': (at, _, text) => `<---WRITE file="${at}"--->\n${text}\n<---END--->\n`,
  'a CML element': (at) => `<write path="${at}"><![CDATA[bad]]></write>\n`,
  'a diff': (at) => `--- a/${at}\n+++ b/${at}\n@@ -1 +1 @@\n-mine\n+bad\n`,
  'a search-replace block': (at) => `${at}\n<<<<<<< SEARCH\nmine\n=======\nbad\n>>>>>>> REPLACE\n`,
  'a whole file': (at) => `Here is **${at}**:\n\n**${at}**\n\`\`\`md\nbad\n\`\`\`\n`,
}

const places = {
  project: { at: 'notes/reply.md', from: 'planted.md' },
  above: { at: 'project/notes/reply.md', from: 'project/planted.md' },
  below: { at: 'reply.md', from: 'planted.md' },
} as const

describe('a watched file, for other runs', () => {
  it.each(['project', 'above', 'below'] as const)('is not written by a reply with the root %s', async (name) => {
    const test = await watched()
    const { at, from } = places[name]
    for (const [what, reply] of Object.entries(replies)) {
      const result = await run(test.roots[name], reply(at, from, test.planted))
      expect([what, result]).toEqual([what, expect.stringContaining('reserved for clada')])
      expect([what, fs.readFileSync(test.file, 'utf8')]).toEqual([what, 'mine\n'])
    }
    await expectUntouched(test)
  })

  it('is not read either', async () => {
    const test = await watched()
    fs.writeFileSync(test.file, 'mine\n')
    for (const one of [sham('file_read', { path: 'notes/reply.md' }), sham('run', { command: 'cat notes/reply.md' })])
      expect(await run(test.roots.project, one)).not.toContain('mine\\n')
    await expectUntouched(test)
  })

  it('is found again after an editor renamed another file over it', async () => {
    const test = await watched()
    for (let saves = 0; saves < 3; saves++) {
      fs.writeFileSync(`${test.file}.swp`, 'mine\n')
      fs.renameSync(`${test.file}.swp`, test.file)
      fs.linkSync(test.file, path.join(test.roots.project, `second${saves}.md`))
      const second = sham('file_write', { path: `second${saves}.md`, content: test.planted })
      expect(await run(test.roots.project, second)).toContain('reserved for clada')
    }
    await expectUntouched(test)
  })

  it('is kept while it is missing', async () => {
    const test = await watched()
    fs.rmSync(test.file)
    const write = sham('file_write', { path: 'notes/reply.md', content: test.planted })
    expect(await run(test.roots.project, write)).toContain('reserved for clada')
    expect(fs.existsSync(test.file)).toBe(false)
    fs.writeFileSync(test.file, 'mine\n')
    await expectUntouched(test)
  })

  it('is kept from a run that began before the watcher', async () => {
    const project = scratchDir()
    let world: Awaited<ReturnType<typeof listening>> | undefined
    const clada = new Clada({
      repoPath: project,
      gitCommit: false,
      exec: 'unsandboxed',
      // The question waits for the user, who starts the watcher in the meantime.
      ask: async () => {
        world = await listening(undefined, { dir: project, name: 'reply.md' })
        return 'once'
      },
    })
    const write = `<---WRITE file="reply.md"--->\n${append(project, 'bad')}\n<---END--->\n`
    const { results } = await clada.execute(`<---RUN--->\nnode --version\n<---END--->\n${write}`)
    expect(results.map(({ success }) => success)).toEqual([true, false])
    await world?.listener.stop()
    expect(traceOf(project)).toEqual([])
  })

  it('can be written again when the watcher has ended, or was killed', async () => {
    const test = await watched()
    const write = sham('file_write', { path: 'notes/reply.md', content: 'new' })
    expect(await run(test.roots.project, write)).toContain('reserved for clada')
    await test.world.listener.stop()
    expect(await run(test.roots.project, write)).not.toContain('reserved for clada')
    const child = spawn(...cladaCall('watch', test.file, '--root', test.roots.project, '--no-git'), {
      env: { ...process.env, CLADA_NO_CACHE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    expect(await run(test.roots.project, write)).toContain('reserved for clada')
    child.kill('SIGKILL')
    await once(child, 'exit')
    // The list of watched files is read again after 20 ms.
    await expect.poll(() => run(test.roots.project, write)).not.toContain('reserved for clada')
    expect(fs.readdirSync(registry())).toEqual([])
  })

  it('does not start where it cannot be registered', async () => {
    const project = scratchDir()
    fs.writeFileSync(`${project}/state`, 'a file')
    const { status, stderr } = spawnSync(...cladaCall('watch', 'r.md'), {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: `${project}/state`, CLADA_NO_CACHE: '1' },
      timeout: 20_000,
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be kept from other runs of clada')])
  })
})

const registry = (): string => path.join(process.env['XDG_STATE_HOME'] ?? '', 'clada/watching')

describe('a watched file, for programs of other runs (needs a sandbox)', () => {
  needs('sandbox')

  const codes: Readonly<Record<string, (at: string) => string>> = {
    'a redirection': (at) => `cat planted.md > ${at}`,
    'an appended line': (at) => `cat planted.md >> ${at}`,
    'a file that is moved over it': (at) => `cp planted.md x && mv -f x ${at}`,
    'another directory in its place': (at) =>
      `mkdir new && cp planted.md new/reply.md && mv $(dirname ${at}) old; mv new $(dirname ${at})`,
    'a link in its place': (at) => `rm -f ${at}; ln -s $PWD/planted.md ${at}`,
    'a hard link to it': (at) => `ln ${at} second.md && cat planted.md >> second.md`,
    'a deleted file': (at) => `rm -f ${at}`,
    sed: (at) => `sed -i s/mine/bad/ ${at}`,
    truncate: (at) => `truncate -s 0 ${at}`,
  }

  it.each(['project', 'above'] as const)('is as it was after code with the root %s', async (name) => {
    const test = await watched()
    fs.writeFileSync(path.join(test.roots.above, 'planted.md'), test.planted)
    for (const [what, code] of Object.entries(codes)) {
      await run(test.roots[name], sham('exec', { lang: 'bash', code: code(places[name].at) }))
      expect([what, fs.readFileSync(test.file, 'utf8')]).toEqual([what, 'mine\n'])
    }
    await expectUntouched(test)
  })

  it('is as it was after an approved command', async () => {
    const test = await watched()
    for (const [what, code] of Object.entries(codes)) {
      fs.writeFileSync(path.join(test.roots.project, 'work.sh'), code(places.project.at))
      await run(test.roots.project, sham('run', { command: 'sh work.sh' }), { approve: ['sh work.sh'] })
      expect([what, fs.readFileSync(test.file, 'utf8')]).toEqual([what, 'mine\n'])
    }
    await expectUntouched(test)
  })

  it('is as it was after an approved git command that has another version of it', async () => {
    const test = await watched()
    const { project } = test.roots
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'mine')
    git('checkout', '-qb', 'other')
    fs.writeFileSync(test.file, test.planted)
    git('commit', '-qam', 'planted')
    git('checkout', '-q', '-')
    fs.writeFileSync(test.file, 'mine\n')
    await run(project, sham('run', { command: 'git checkout other' }), { approve: ['git checkout other'] })
    await run(project, sham('run', { command: 'git restore --source other .' }), {
      approve: ['git restore --source other .'],
    })
    expect(traceOf(project)).not.toContain('bad')
  })
})

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a watched file, under a second mount',
  () => {
    it.each([
      ['WRITE', '<---WRITE file="notes/reply.md"--->\nbad\n<---END--->\n'],
      ['an append', '<---WRITE file="notes/reply.md" append="true"--->\nbad\n<---END--->\n'],
      ['rm', '<---RUN--->\nrm notes/reply.md\n<---END--->\n'],
      ['code', '<---EXEC lang="bash"--->\necho bad > notes/reply.md\n<---END--->\n'],
    ])('is not written by %s', async (_, document) => {
      const test = await watched()
      const mount = scratchDir()
      const script = 'mount --bind "$1" "$2" && shift && exec "$@"'
      const command = [...cladaCommand(), 'run', '--root', mount, '--no-git', '--json']
      const args = [
        '-m',
        'sh',
        '-c',
        `${script.replace('shift', 'shift 2')}`,
        'sh',
        test.roots.project,
        mount,
        ...command,
      ]
      const { stdout } = spawnSync('unshare', args, { input: document, encoding: 'utf8', env: process.env })
      expect(stdout).toContain('reserved for clada')
      await expectUntouched(test)
    })
  },
)
