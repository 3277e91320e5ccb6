// A thousand edits in a thousand files.
import fs from 'node:fs'
import path from 'node:path'
import { block, cli, executable, peakMemory, peerFile, scratch, spawned } from '../measure.mjs'

const count = 1000
const wanted = (at) => `const value_${at}_50 = 50`
const replacement = (at) => `const other_${at}_50 = 51`
const scripts = { extension: 'js', before: '' }
const modules = { extension: 'ts', before: 'export ' }

/** The same edits by each engine, in files below a directory, which is made anew each time. */
function editsIn(root, { extension, before } = scripts) {
  const nameOf = (at) => path.join(root, `dir-${at % 20}`, `file-${at}.${extension}`)
  const document = path.join(scratch, 'edits.md')
  const script = path.join(scratch, 'bare.mjs')

  function layOut() {
    fs.rmSync(root, { recursive: true, force: true })
    for (let at = 0; at < count; at++) {
      fs.mkdirSync(path.dirname(nameOf(at)), { recursive: true })
      const lines = Array.from(
        { length: 100 },
        (_, line) => `${before}const value_${at}_${line} = ${line} // of file ${at}`,
      )
      fs.writeFileSync(nameOf(at), `${lines.join('\n')}\n`)
    }
    const edits = Array.from({ length: count }, (_, at) =>
      block('file_replace_text', { path: nameOf(at), old_text: wanted(at), new_text: replacement(at) }),
    )
    fs.writeFileSync(document, edits.join('\n'))
  }

  function checked(measured) {
    for (let at = 0; at < count; at += 37) {
      const text = fs.readFileSync(nameOf(at), 'utf8')
      if (!text.includes(replacement(at)) || text.includes(wanted(at))) throw new Error(`${nameOf(at)} was not edited`)
    }
    return measured
  }

  const clada = (program) => [...program, '--no-git', '--quiet', '--root', root, document]
  /** The least that an honest editor does: read, replace, write beside, sync or not, rename; one file after another. */
  const bare = (sync) => {
    fs.writeFileSync(
      script,
      `import fs from 'node:fs'
import path from 'node:path'
for (let at = 0; at < ${count}; at++) {
  const file = path.join(${JSON.stringify(root)}, 'dir-' + (at % 20), 'file-' + at + '.${extension}')
  const text = fs.readFileSync(file, 'utf8').replace('const value_' + at + '_50 = 50', () => 'const other_' + at + '_50 = 51')
  const fd = fs.openSync(file + '.tmp', 'w')
  fs.writeSync(fd, text)
  ${sync === 'synced' ? 'fs.fsyncSync(fd)' : ''}
  fs.closeSync(fd)
  fs.renameSync(file + '.tmp', file)
}
`,
    )
    return [process.execPath, script]
  }
  const once = (measure) => () => {
    layOut()
    return checked(measure())
  }
  return {
    byClada: (program = [process.execPath, cli]) => once(() => spawned(clada(program))),
    byScript: (sync) => once(() => spawned(bare(sync))),
    peakOfClada: once(() => peakMemory(clada([process.execPath, cli]))),
    peakOfScript: once(() => peakMemory(bare('unsynced'))),
    byCodex: (binary) =>
      once(() => {
        const patch = ['*** Begin Patch']
        for (let at = 0; at < count; at++) {
          patch.push(`*** Update File: ${path.relative(root, nameOf(at))}`, '@@')
          patch.push(`-${before}${wanted(at)} // of file ${at}`, `+${before}${replacement(at)} // of file ${at}`)
        }
        const input = [...patch, '*** End Patch', ''].join('\n')
        return spawned([binary], { argv0: 'apply_patch', cwd: root, input, stdio: ['pipe', 'ignore', 'pipe'] })
      }),
  }
}

const inMemory = (files = scripts) => {
  const dir = fs.mkdtempSync('/dev/shm/clada-bench-')
  process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  return editsIn(path.join(dir, 'edits'), files)
}

function codexProgram() {
  const base = peerFile('@openai/codex@0.169.0', '@openai')
  const found = fs.readdirSync(base, { recursive: true, withFileTypes: true })
  const binary = found.find(({ name, parentPath }) => name === 'codex' && parentPath.includes('vendor'))
  if (binary === undefined) throw new Error('The package of Codex has no program for this machine.')
  return path.join(binary.parentPath, binary.name)
}

const what = '1,000 edits in 1,000 files'

export const rows = [
  {
    id: 'edits-memory',
    what: `${what}, in memory`,
    beside: 'a bare script',
    rounds: 9,
    measure() {
      const edits = inMemory()
      return { ours: edits.byClada(), peer: edits.byScript('unsynced') }
    },
  },
  {
    id: 'edits-disk',
    what: `${what}, on a disk`,
    beside: 'a bare script that syncs each file',
    rounds: 9,
    measure() {
      const edits = editsIn(path.join(scratch, 'edits'))
      return { ours: edits.byClada(), peer: edits.byScript('synced') }
    },
  },
  {
    id: 'edits-codex',
    what: `${what}, in memory`,
    beside: "Codex's `apply_patch`",
    rounds: 9,
    measure() {
      const edits = inMemory()
      return { ours: edits.byClada(), peer: edits.byCodex(codexProgram()) }
    },
  },
  {
    id: 'edits-peak',
    what: `${what}, memory of the process`,
    beside: 'a bare script',
    rounds: 3,
    unit: 'MB',
    measure() {
      const edits = inMemory()
      return { ours: edits.peakOfClada, peer: edits.peakOfScript }
    },
  },
  {
    id: 'edits-peak-exports',
    what: '1,000 edits in 1,000 TypeScript files of 100 exports, memory of the process',
    beside: 'a bare script',
    rounds: 3,
    unit: 'MB',
    measure() {
      const edits = inMemory(modules)
      return { ours: edits.peakOfClada, peer: edits.peakOfScript }
    },
  },
  ...(executable === undefined
    ? []
    : [
        {
          id: 'executable-edits',
          what: `${what}, in memory, by the executable`,
          beside: 'clada on Node',
          rounds: 9,
          measure() {
            const edits = inMemory()
            return { ours: edits.byClada([executable]), peer: edits.byClada() }
          },
        },
      ]),
]
