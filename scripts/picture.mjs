// Draws docs/demo.svg from what the real program prints: `npm run picture`.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const home = path.resolve(import.meta.dirname, '..')
const { stdout } = spawnSync(process.execPath, ['scripts/demo.mjs', '--color'], { cwd: home, encoding: 'utf8' })

// The reply itself is long; the picture begins where it is saved.
const lines = stdout.trimEnd().split('\n')
const from = lines.findIndex((line) => line.includes('A listener waits'))
const shown = lines.slice(from)

const colors = { 1: '#e6edf3', 2: '#8b949e', 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff' }
const lineHeight = 18
const charWidth = 8.4
const width = Math.ceil(Math.max(...shown.map((line) => plain(line).length)) * charWidth) + 40
const height = shown.length * lineHeight + 40

const rows = shown.map((line, index) => `<text x="20" y="${34 + index * lineHeight}">${spans(line)}</text>`)
fs.writeFileSync(
  path.join(home, 'docs/demo.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="clada watch applies a reply as it is saved, writes the results at the top of the file, and clada undo takes it back">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#c9d1d9">
${rows.join('\n')}
</g>
</svg>
`,
)

/** Colour codes as coloured spans. */
function spans(line) {
  let color = ''
  // eslint-disable-next-line no-control-regex -- colours are what is read
  const parts = line.split(/\u001b\[(\d+)m/)
  return parts
    .map((part, index) => {
      if (index % 2 === 1) {
        color = colors[part] ?? ''
        return ''
      }
      if (part === '') return ''
      return color === '' ? escaped(part) : `<tspan fill="${color}">${escaped(part)}</tspan>`
    })
    .join('')
}

function plain(line) {
  // eslint-disable-next-line no-control-regex -- colours are what is taken off
  return line.replace(/\u001b\[\d+m/g, '')
}

/** Blanks as such that no viewer folds. */
function escaped(text) {
  return text.replaceAll(' ', '\u00a0').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
