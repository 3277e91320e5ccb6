import fs from 'node:fs'
import path from 'node:path'
import { cli, scratch, spawned } from './measure.mjs'

const files = 1000
const wanted = (i) => `const value_${i}_50 = 50`
const replacement = (i) => `const other_${i}_50 = 51`

/** The same edits by each engine, in files below a directory, which is made anew each time. */
export function editsIn(root) {
  const nameOf = (i) => path.join(root, `dir-${i % 20}`, `file-${i}.js`)

  function layOut() {
    fs.rmSync(root, { recursive: true, force: true })
    for (let i = 0; i < files; i++) {
      fs.mkdirSync(path.dirname(nameOf(i)), { recursive: true })
      const lines = Array.from({ length: 100 }, (_, line) => `const value_${i}_${line} = ${line} // of file ${i}`)
      fs.writeFileSync(nameOf(i), lines.join('\n') + '\n')
    }
  }

  function checked(took) {
    for (let i = 0; i < files; i += 37) {
      const text = fs.readFileSync(nameOf(i), 'utf8')
      if (!text.includes(replacement(i)) || text.includes(wanted(i))) throw new Error(`${nameOf(i)} was not edited`)
    }
    return took
  }

  function withClada() {
    layOut()
    const document = path.join(scratch, 'edits.md')
    const blocks = Array.from({ length: files }, (_, i) =>
      [
        '#!SHAM [@three-char-SHA-256: e1d]',
        'action = "file_replace_text"',
        `path = "${nameOf(i)}"`,
        `old_text = "${wanted(i)}"`,
        `new_text = "${replacement(i)}"`,
        '#!END_SHAM_e1d',
        '',
      ].join('\n'),
    )
    fs.writeFileSync(document, blocks.join('\n'))
    return checked(spawned(process.execPath, [cli, '--no-git', '--root', root, document]))
  }

  /** The least that an honest editor does: read, replace, write beside, sync or not, rename; one file after another. */
  function withBareScript(sync) {
    layOut()
    const script = path.join(scratch, 'bare.mjs')
    fs.writeFileSync(
      script,
      `import fs from 'node:fs'
import path from 'node:path'
for (let i = 0; i < ${files}; i++) {
  const file = path.join(${JSON.stringify(root)}, 'dir-' + (i % 20), 'file-' + i + '.js')
  const text = fs.readFileSync(file, 'utf8').replace('const value_' + i + '_50 = 50', () => 'const other_' + i + '_50 = 51')
  const fd = fs.openSync(file + '.tmp', 'w')
  fs.writeSync(fd, text)
  ${sync === 'with fsync' ? 'fs.fsyncSync(fd)' : ''}
  fs.closeSync(fd)
  fs.renameSync(file + '.tmp', file)
}
`,
    )
    return checked(spawned(process.execPath, [script]))
  }

  /** Another tool's patch program, which does not sync. */
  function withApplyPatch(binary) {
    layOut()
    const patch = ['*** Begin Patch']
    for (let i = 0; i < files; i++) {
      patch.push(`*** Update File: ${path.relative(root, nameOf(i))}`, '@@')
      patch.push(`-${wanted(i)} // of file ${i}`, `+${replacement(i)} // of file ${i}`)
    }
    patch.push('*** End Patch', '')
    const input = patch.join('\n')
    return checked(spawned(binary, [], { argv0: 'apply_patch', cwd: root, input, stdio: ['pipe', 'ignore', 'pipe'] }))
  }

  return { withClada, withBareScript, withApplyPatch }
}
