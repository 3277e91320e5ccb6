// Draws the charts of the README from the figures that the measuring scripts wrote: `npm run charts`.
//
//   docs/charts/damage.svg    edits under damage, by engine: docs/edits.md (npm run damage -- --docs), scripts/peers.json
//   docs/charts/speed.svg     start-up and 1,000 edits: docs/benchmarks.md (npm run bench)
//   docs/charts/history.svg   growth of the history: measured here
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Clada } from '../dist/index.js'

const home = path.resolve(import.meta.dirname, '..')
const read = (name) => fs.readFileSync(path.join(home, name), 'utf8')

drawDamage()
drawSpeed()
await drawHistory()

function drawDamage() {
  const rows = tableRows(read('docs/edits.md')).filter(([kind]) =>
    /^(?:by-context|nothing-lost|must-refuse)/.test(kind),
  )
  const sum = (pattern, column) =>
    rows.filter(([kind]) => pattern.test(kind)).reduce((total, row) => total + Number(row[column]), 0)
  const own = {
    name: 'clada, all seven syntaxes',
    recoverable: sum(/^(?:by|nothing)/, 1),
    right: sum(/^(?:by|nothing)/, 2),
    wrong: sum(/^(?:by|nothing)/, 7),
    refuse: sum(/^must/, 1),
    applied: sum(/^must/, 7) + sum(/^must/, 2),
  }
  const [name, ...figures] = tableRows(read('docs/edits.md')).find(([what]) => what.startsWith('MCP filesystem'))
  const [recoverable, right, wrong, , refuse, applied] = figures.map((figure) => Number.parseInt(figure, 10))
  const measured = { name, recoverable, right, wrong, refuse, applied }
  const engines = [own, ...JSON.parse(read('scripts/peers.json')).damage.engines, measured]
  const bars = engines.map(({ name, recoverable, right, wrong, refuse, applied }) => ({
    name,
    parts: [
      { share: right / recoverable, kind: 'good', text: percent(right / recoverable) },
      {
        share: (wrong + applied) / (recoverable + refuse),
        kind: 'bad',
        text: percent((wrong + applied) / (recoverable + refuse)),
      },
    ],
  }))
  write(
    'damage',
    'Edits under damage',
    [
      ['good', 'recoverable edits applied right'],
      ['bad', 'all edits applied wrong'],
    ],
    bars,
  )
}

function drawSpeed() {
  const rows = tableRows(read('docs/benchmarks.md'))
  const row = (pattern) => rows.find(([what]) => pattern.test(what))
  const [, , , bare] = row(/^`node -e 0`$/)
  const starts = [/^one block that makes/, /list of tools$/].map((pattern) => {
    const [what, , , processor] = row(pattern)
    return { what, own: Number(processor), peer: 'node -e 0, both in processor time', theirs: Number(bare) }
  })
  // Codex is measured only where it is installed.
  const edits = [/^1,000 edits in 1,000 files/, /^the same$/].flatMap((pattern) => {
    const found = rows.find(([what, , peer]) => pattern.test(what) && /script|apply_patch/.test(peer))
    if (found === undefined) return []
    const [, own, peer, theirs] = found
    return [
      { what: '1,000 edits in 1,000 files', own: Number.parseFloat(own), peer, theirs: Number.parseFloat(theirs) },
    ]
  })
  const times = [...starts, ...edits]
  const longest = Math.max(...times.flatMap(({ own, theirs }) => [own, theirs]))
  const bars = times.map(({ what, own, peer, theirs }) => ({
    name: what.replaceAll('`', ''),
    parts: [
      { share: own / longest, kind: 'good', text: `${own} ms` },
      { share: theirs / longest, kind: 'peer', text: `${theirs} ms, ${peer.replaceAll('`', '')}` },
    ],
  }))
  write(
    'speed',
    'Time, shorter is better',
    [
      ['good', 'clada'],
      ['peer', 'what it is compared with'],
    ],
    bars,
  )
}

/** A project of 100 files of 4 kB, edited once in each execution; the size of all that clada and git keep for it. */
async function drawHistory() {
  const counts = [100, 200, 400]
  const series = []
  for (const git of ['commit', 'shadow', 'off']) series.push([git, await growth(git, counts)])
  const largest = Math.max(...series.flatMap(([, sizes]) => sizes))
  const names = { commit: 'on the branch', shadow: 'under refs/clada', off: 'without git' }
  const bars = series.flatMap(([git, sizes]) =>
    sizes.map((bytes, at) => ({
      name: `${counts[at]} executions, ${names[git]}`,
      parts: [{ share: bytes / largest, kind: 'good', text: `${(bytes / 1e6).toFixed(1)} MB` }],
    })),
  )
  write(
    'history',
    'Growth of the history',
    [['good', 'what .clada and .git gained on disk, an edit of a 4 kB file in each execution']],
    bars,
  )
}

async function growth(git, counts) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-growth-')))
  try {
    const line = (file, at) => `${at}: line of file ${file}, and something that makes it longer\n`
    for (let file = 0; file < 100; file++) {
      fs.writeFileSync(path.join(root, `${file}.txt`), Array.from({ length: 80 }, (_, at) => line(file, at)).join(''))
    }
    const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org']
    execFileSync('git', ['init', '--quiet'], { cwd: root })
    execFileSync('git', ['config', 'user.name', 'Ada'], { cwd: root })
    execFileSync('git', ['config', 'user.email', 'ada@example.org'], { cwd: root })
    execFileSync('git', ['add', '.'], { cwd: root })
    execFileSync('git', [...as, 'commit', '--quiet', '--message', 'A project'], { cwd: root })
    const before = kept(root)
    const clada = new Clada({ repoPath: root, git })
    const sizes = []
    for (let run = 0; run < counts.at(-1); run++) {
      const file = path.join(root, `${run % 100}.txt`)
      const at = 10 + Math.floor(run / 100)
      const block = [
        '#!SHAM [@three-char-SHA-256: abc]',
        'action = "file_replace_text"',
        `path = "${file}"`,
        `old_text = "${at}: line"`,
        `new_text = "${at}: a line of run ${run}"`,
        '#!END_SHAM_abc',
      ]
      const { success } = await clada.execute(block.join('\n'))
      if (!success) throw new Error(`execution ${run} failed`)
      if (counts.includes(run + 1)) sizes.push(kept(root) - before)
    }
    return sizes
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
}

/** The bytes on disk of what clada and git keep. */
function kept(root) {
  return ['.clada', '.git']
    .map((name) => path.join(root, name))
    .filter((dir) => fs.existsSync(dir))
    .flatMap((dir) => fs.readdirSync(dir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).blocks * 512, 0)
}

function tableRows(text) {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

function percent(share) {
  return share === 0 ? '0 %' : `${(share * 100).toFixed(1)} %`
}

/** Horizontal bars, with colours for a light and for a dark page. */
function write(name, title, legend, bars) {
  const [left, width, thick] = [250, 400, 14]
  let y = 70
  const drawn = bars.map(({ name: label, parts }) => {
    const top = y
    const rects = parts.map(({ share, kind, text }) => {
      const long = Math.max(1, Math.round(share * width))
      const bar = `<rect x="${left}" y="${y}" width="${long}" height="${thick}" rx="2" class="${kind}"/><text x="${left + long + 6}" y="${y + 11}" class="value">${escaped(text)}</text>`
      y += thick + 2
      return bar
    })
    y += 8
    return `<text x="${left - 8}" y="${top + (parts.length * (thick + 2)) / 2 + 3}" text-anchor="end">${escaped(label)}</text>${rects.join('')}`
  })
  let x = 16
  const keys = legend.map(([kind, text]) => {
    const key = `<rect x="${x}" y="40" width="12" height="12" rx="2" class="${kind}"/><text x="${x + 18}" y="50">${escaped(text)}</text>`
    x += 34 + text.length * 6.6
    return key
  })
  const said = `${title}: ${bars.map(({ name: label, parts }) => `${label} ${parts.map(({ text }) => text).join(', ')}`).join('; ')}`
  fs.mkdirSync(path.join(home, 'docs/charts'), { recursive: true })
  fs.writeFileSync(
    path.join(home, `docs/charts/${name}.svg`),
    `<svg xmlns="http://www.w3.org/2000/svg" width="860" height="${y + 8}" viewBox="0 0 860 ${y + 8}" role="img" aria-label="${escaped(said)}" font-family="system-ui, sans-serif" font-size="12">
<style>text{fill:#1f2328}.title{font-size:15px;font-weight:600}.value{fill:#59636e}.good{fill:#1a7f37}.bad{fill:#cf222e}.peer{fill:#8c959f}@media (prefers-color-scheme:dark){text{fill:#e6edf3}.value{fill:#9198a1}.good{fill:#3fb950}.bad{fill:#f85149}.peer{fill:#656c76}}</style>
<text x="16" y="26" class="title">${escaped(title)}</text>
${keys.join('\n')}
${drawn.join('\n')}
</svg>
`,
  )
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
