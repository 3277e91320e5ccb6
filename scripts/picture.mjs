// Draws docs/demo.svg from what the real program prints, as scenes that follow each other.
//
//   npm run picture [-- --check]   `--check`: the picture is what it would draw
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const home = path.resolve(import.meta.dirname, '..')
const demo = spawnSync(process.execPath, ['scripts/demo.mjs', '--color'], { cwd: home, encoding: 'utf8' })
// The same picture every time.
const stdout = demo.stdout.replace(/\d\d:\d\d:\d\d/g, '14:30:00').replace(/\([\da-f]{8}\)/g, '(4da57744)')

/** By the words that introduce them: how they are called here, and how many seconds and lines they get. */
const wanted = [
  ['A model was asked', '1. A model replied with this', 4, 25],
  ['What would it do', '2. What would it do? Nothing is touched yet', 5, 25],
  ['A listener waits', '3. Saved into the watched file, it is applied', 6, 25],
  ['And back again', '4. And back again, exactly', 4, 25],
]
// eslint-disable-next-line no-control-regex -- the colour of an introduction
const parts = stdout.trimEnd().split(/^\u001b\[36m# /m)
const scenes = wanted.map(([start, title, seconds, most]) => {
  const part = parts.find((each) => each.startsWith(start))
  if (part === undefined) throw new Error(`the demo does not say '${start}'`)
  const lines = part.trimEnd().split('\n').slice(1)
  return { title, seconds, lines: lines.length > most ? [...lines.slice(0, most - 1), '\u001b[2m…\u001b[0m'] : lines }
})

const colors = { 1: '#e6edf3', 2: '#8b949e', 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#79c0ff' }
const lineHeight = 18
const width = 760
const height = Math.max(...scenes.map(({ lines }) => lines.length)) * lineHeight + 76
const total = scenes.reduce((sum, { seconds }) => sum + seconds, 0)

let begun = 0
const drawn = scenes.map(({ title, seconds, lines }, index) => {
  const [from, to] = [begun / total, (begun + seconds) / total].map((share) => Math.round(share * 1000) / 10)
  begun += seconds
  const frames =
    index === 0
      ? `0%,${to}%{opacity:1}${to + 0.1}%,99.9%{opacity:0}100%{opacity:1}`
      : `0%,${from}%{opacity:0}${from + 0.1}%,${to}%{opacity:1}${Math.min(100, to + 0.1)}%,100%{opacity:${to === 100 ? 1 : 0}}`
  const rows = lines.map((line, at) => `<text x="20" y="${68 + at * lineHeight}">${spans(line)}</text>`)
  return {
    style: `@keyframes s${index}{${frames}}.s${index}{animation:s${index} ${total}s infinite}`,
    group: `<g class="s${index}"><text x="20" y="34" fill="#79c0ff">${escaped(title)}</text>\n${rows.join('\n')}</g>`,
  }
})
const label =
  'A reply of a model, the diff of what it would do, clada watch that applies it, and clada undo that takes it back'
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
<style>${drawn.map(({ style }) => style).join('')}@media (prefers-reduced-motion:reduce){g[class]{animation:none;opacity:0}g.s2{opacity:1}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" fill="#c9d1d9">
${drawn.map(({ group }) => group).join('\n')}
</g>
</svg>`
const file = path.join(home, 'docs/demo.svg')
if (!process.argv.includes('--check')) fs.writeFileSync(file, picture)
else if (fs.readFileSync(file, 'utf8') !== picture) {
  console.error('docs/demo.svg is not what the demo prints now: npm run picture')
  process.exitCode = 1
}

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

/** Spaces as ones that no viewer folds. */
function escaped(text) {
  return text.replaceAll(' ', '\u00a0').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
