// Replays the logs of aider chats: every reply that ended in a commit is run on the parent of that commit, and the files are
// compared byte by byte. Replies without edits must execute nothing. Build first.
//
//   npm run replay -- DIR [--labels FILE] [--out FILE] [--only ID]
//
// DIR holds git repositories in which `.aider.chat.history.md` was committed. `--labels` is JSON, `{ "id": ["class", "why"] }`,
// for replies that somebody has looked at. Without a label, of a reply that differs nobody knows who is right. `--out` gets every reply with what became of it. Nothing is written into DIR.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const cli = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../packages/clada/dist/cli.cjs')
const {
  values,
  positionals: [dir],
} = parseArgs({
  allowPositionals: true,
  options: { labels: { type: 'string' }, out: { type: 'string' }, only: { type: 'string' } },
})
if (dir === undefined) {
  console.error('usage: npm run replay -- DIR [--labels FILE] [--out FILE] [--only ID]')
  process.exit(2)
}
const labels = values.labels === undefined ? {} : JSON.parse(fs.readFileSync(values.labels, 'utf8'))

const WITH_EDITS = 'replies with edits'
const WITHOUT_EDITS = 'replies without edits'
/** What aider, or the user, did not take: an edit, or a whole file below its path. */
const EDIT = /^(?:<{5,9} |>{5,9} |\*\*\* Begin Patch|--- \S|\+\+\+ \S|@@ |-{3}$|[`*#\s]*[\w@./-]+\.\w+[`*]*:?\n+`{3})/m
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-replay-'))
const counts = new Map()
const models = new Set()
let edits = 0
try {
  for (const repository of repositoriesBelow(path.resolve(dir))) replayRepository(repository)
} finally {
  fs.rmSync(temporary, { recursive: true, force: true })
}
print()

function replayRepository(repository) {
  const project = path.join(temporary, 'project')
  const git = gitOf(repository, project)
  const turns = turnsOf(repository, git)
  for (const turn of turns) {
    const id = createHash('sha256').update(`${turn.base}\0${turn.reply}`).digest('hex').slice(0, 12)
    if (values.only !== undefined && values.only !== id) continue
    if (!checkOut(git, project, turn.base)) continue
    const hasEdits = turn.commit !== undefined
    const run = runReply(project, turn.reply, hasEdits)
    // What aider refused, or the user, is neither of the two.
    if (!hasEdits && EDIT.test(turn.reply)) continue
    const found = hasEdits ? classOf(git, project, turn, run) : classWithoutEdits(git, project, run)
    const [kind, why] = labels[id] ?? found
    const group = hasEdits ? WITH_EDITS : WITHOUT_EDITS
    counts.set(`${group}\0${kind}`, (counts.get(`${group}\0${kind}`) ?? 0) + 1)
    if (hasEdits) edits += turn.files.length
    models.add(turn.model)
    if (values.out !== undefined)
      fs.appendFileSync(
        values.out,
        `${JSON.stringify({ id, repository: path.basename(path.dirname(repository)), ...turn, kind, why, found: found[0], exit: run.exit, report: run.report })}\n`,
      )
  }
  fs.rmSync(project, { recursive: true, force: true })
}

/** Repositories, with or without a work tree, at most two directories deep. */
function* repositoriesBelow(top, depth = 0) {
  if (fs.existsSync(path.join(top, 'HEAD')) && fs.existsSync(path.join(top, 'objects'))) yield top
  else if (fs.existsSync(path.join(top, '.git', 'HEAD'))) yield path.join(top, '.git')
  else if (depth < 2)
    for (const entry of fs.readdirSync(top, { withFileTypes: true }))
      if (entry.isDirectory() || entry.isSymbolicLink()) yield* repositoriesBelow(path.join(top, entry.name), depth + 1)
}

/** Runs git on a repository, with a work tree and an index elsewhere. */
function gitOf(repository, project) {
  const env = {
    PATH: process.env.PATH,
    HOME: temporary,
    GIT_DIR: repository,
    GIT_WORK_TREE: project,
    GIT_INDEX_FILE: path.join(temporary, `index-${createHash('sha256').update(repository).digest('hex').slice(0, 12)}`),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
  }
  const safe = [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.autocrlf=false',
    'safe.directory=*',
    'core.quotePath=false',
  ]
  return (...args) => {
    fs.mkdirSync(project, { recursive: true })
    const { status, stdout } = spawnSync('git', [...safe.flatMap((one) => ['-c', one]), ...args], {
      env,
      cwd: project,
      maxBuffer: 1 << 30,
    })
    return status === 0 ? stdout : undefined
  }
}

function checkOut(git, project, commit) {
  if (git('read-tree', '--reset', '-u', commit) === undefined || git('clean', '-fdxq') === undefined) return false
  return fs.existsSync(project)
}

/** The replies of every version of every log in a repository, each once. */
function turnsOf(repository, git) {
  const listed = git(
    'log',
    '--all',
    '--full-history',
    '--format=%H',
    '--name-only',
    '--diff-filter=AM',
    '--',
    '*.aider.chat.history.md',
  )
  const versions = []
  let commit = ''
  for (const line of String(listed ?? '').split('\n')) {
    if (/^[0-9a-f]{40}$/.test(line)) commit = line
    else if (line.endsWith('.aider.chat.history.md')) versions.push(`${commit}:${line}`)
  }
  const all = new Map()
  for (const version of versions)
    for (const turn of turnsIn(git('show', version)?.toString('utf8') ?? ''))
      all.set(`${turn.commit ?? turn.before}\0${turn.reply}`, turn)
  return [...all.values()].flatMap((turn) => withCommits(git, turn) ?? [])
}

/**
 * What the user says begins with `####`, what aider says with `>`, and ends with two spaces; the rest are replies. Headings in a
 * reply begin with `####` too: where aider says after each reply how long it was, it ends there, or where the user interrupts
 * it. Where aider quotes a block that failed, only the first and the last line are marked.
 */
function turnsIn(text) {
  const turns = []
  const saysTokens = /^> Tokens: /m.test(text)
  let model = 'unknown'
  let last
  let rows = []
  const endReply = () => {
    const reply = rows.join('\n').replace(/^\n+|\n+$/g, '')
    if (reply !== '' && !reply.startsWith('# aider chat started')) {
      if (last !== undefined) last.isHandedOn = true
      turns.push((last = { model, reply: `${reply}\n`, files: [], left: [], before: last?.commit ?? last?.before }))
    }
    rows = []
  }
  let isFailure = false
  for (const line of text.split(/\r?\n/)) {
    isFailure ||= /^> # \d+ SEARCH\/REPLACE blocks? failed to match!$/.test(line)
    if (isFailure) {
      endReply()
      if (last !== undefined) last.failed = true
      isFailure = !/ {2}$/.test(line) && !line.startsWith('#### ')
      if (isFailure || !line.startsWith('#### ')) continue
    }
    const isInReply = saysTokens && !/ {2}$/.test(line) && rows.some((row) => row.trim() !== '')
    if ((line.startsWith('#### ') && !isInReply) || line.startsWith('# aider chat started at ')) {
      endReply()
      // What an architect writes is not applied: aider gives it to an editor, as if the user said it.
      if (last?.reply?.trimStart().split('\n')[0].trim() === line.slice(5).trim()) last.isHandedOn = true
      if (last !== undefined)
        turns.push((last = { skipped: true, before: last.commit ?? last.before, files: [], left: [] }))
      continue
    }
    const said = /^> ?(.*?) {2}$/.exec(line)?.[1]
    if (said === undefined) {
      rows.push(line)
      continue
    }
    endReply()
    model = /^(?:Main )?[Mm]odel: (.+?)(?:,|$)/.exec(said)?.[1] ?? model
    if (last === undefined) continue
    const file = /^Applied edit to (.+)$/.exec(said)?.[1]
    const left = /^Skipping edits to (.+)$/.exec(said)?.[1]
    if (file !== undefined) last.files.push(file.replaceAll('\\', '/'))
    else if (left !== undefined) last.left.push(left.replaceAll('\\', '/').replace(/ that .*$/, ''))
    else if (
      /^The LLM did not conform|failed to match|^Malformed|Only \d+ reflections|^Unable to commit|^Repo-map can't/.test(
        said,
      )
    )
      last.failed ||= !said.startsWith('Repo-map')
    else {
      const commit = /^Commit ([0-9a-f]{7,40}) /.exec(said)?.[1]
      if (commit !== undefined && last.files.length > 0) last.commit ??= commit
      else if (commit !== undefined) last.before = commit
    }
  }
  endReply()
  return turns.filter(({ skipped }) => !skipped)
}

function withCommits(git, { model, reply, files, left, commit, before, failed, isHandedOn }) {
  const known = (name) => git('rev-parse', '-q', '--verify', `${name}^{commit}`)?.toString().trim()
  if (commit !== undefined) {
    const [whole, base] = [known(commit), known(`${commit}^`)]
    return whole === undefined || base === undefined || failed
      ? undefined
      : { model, reply, files: [...new Set(files)], left, commit: whole, base }
  }
  // A reply on which aider failed, or which another model wrote down as edits, is neither of the two.
  if (files.length > 0 || failed || isHandedOn || left.length > 0 || before === undefined) return undefined
  const base = known(before)
  return base === undefined ? undefined : { model, reply, files: [], left: [], base }
}

function runReply(project, reply, applies) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      cli,
      '--json',
      '--no-git',
      '--no-config',
      '--root',
      project,
      '--exec',
      'off',
      ...(applies ? ['--proposals', 'apply'] : []),
      '-',
    ],
    { input: reply, cwd: project, env: { PATH: process.env.PATH, HOME: temporary }, maxBuffer: 1 << 28 },
  )
  try {
    return { exit: status, report: JSON.parse(stdout.toString('utf8')) }
  } catch {
    return { exit: status, report: { broken: `${stdout}${stderr}`.slice(0, 2000) } }
  }
}

function classOf(git, project, { reply, files, left, commit, base }, { exit, report }) {
  const inCommit = new Set(
    String(git('diff', '--name-only', '--no-renames', base, commit))
      .split('\n')
      .filter(Boolean),
  )
  const own = changedFiles(git).filter((file) => !left.includes(file))
  // Where a block names a file that is not there, aider makes an empty one before it looks for another.
  const isEmpty = (file) =>
    git('show', `${base}:${file}`) === undefined &&
    git('show', `${commit}:${file}`)?.length === 0 &&
    !own.includes(file)
  // It takes `Updated a.py` above a fence for a name too.
  const hasLabel = (file) => /\s/.test(file) && own.includes(file.split(/\s+/).at(-1))
  const named = files.filter((file) => inCommit.has(file) && !isEmpty(file) && !hasLabel(file))
  const all = [...new Set([...named, ...own])]
  // aider makes a file of any line above a fence.
  if (all.length > 0 && !all.some(isPath)) return ['aider took a sentence for a file', all.join(', ')]
  const states = all.filter(isPath).map((file) => [file, stateOf(git, project, { file, base, commit, reply })])
  const reported = JSON.stringify(report)
  const worst = (kind) => states.filter(([, state]) => state === kind).map(([file]) => file)
  const [differing, missing] = [worst('differs'), worst('unchanged')]
  if (report.broken !== undefined) return ['crashed', report.broken]
  if (differing.length > 0) return [exit === 0 ? 'differs' : 'differs, exit 1', differing.join(', ')]
  if (missing.some((file) => !reply.includes(path.basename(file))))
    return ['the reply does not name the file', missing.join(', ')]
  if (missing.length > 0) {
    const { results = [] } = report
    if (results.length > 0 && results.every(({ details }) => details?.already_done !== undefined))
      return ['sent again, and skipped', missing.join(', ')]
    const listed = (report.notExecuted ?? []).map((one) => path.basename(one.path ?? ''))
    if (exit === 0 && missing.every((file) => listed.includes(path.basename(file))))
      return ['listed as not executed', missing.join(', ')]
    const unnamed = missing.filter((file) => !reported.includes(path.basename(file)))
    return exit === 0 || unnamed.length > 0 ? ['silent', missing.join(', ')] : ['refused', missing.join(', ')]
  }
  if (states.some(([, state]) => state === 'line ends')) return ['the same but for line ends', '']
  if (states.some(([, state]) => state === 'as the reply says')) return ['as the reply says', '']
  if (states.some(([, state]) => state === 'part')) return ['the commit has other changes too', '']
  return [
    states.some(([, state]) => state === 'final newline')
      ? 'the same but for the final newline'
      : 'the bytes of the commit',
    '',
  ]
}

function changedFiles(git) {
  const all = ['diff-files --name-only', 'ls-files --others'].map((command) => String(git(...command.split(' ')) ?? ''))
  return all
    .join('\n')
    .split('\n')
    .filter((file) => file !== '' && !file.startsWith('.clada'))
}

/** A sentence has backticks, or spaces and no directory, and does not end in the extension of a file. */
function isPath(file) {
  if (file.includes('`')) return false
  return /\s/.test(file) ? /[\w)\]]\.\w{1,9}$/.test(file) : /[./\\]|^[A-Z]\w+$/.test(file)
}

function stateOf(git, project, { file, base, commit, reply }) {
  const wanted = git('show', `${commit}:${file}`)
  const full = path.join(project, file)
  const got = fs.existsSync(full) && fs.statSync(full).isFile() ? fs.readFileSync(full) : undefined
  if (got !== undefined && wanted !== undefined && got.equals(wanted)) return 'same'
  if (got === undefined && wanted === undefined) return 'same'
  const [one, other] = [got, wanted].map((bytes) => bytes?.toString('utf8'))
  if (one !== undefined && other !== undefined && one.trimEnd() === other.trimEnd()) return 'final newline'
  if (one !== undefined && other !== undefined && plain(one) === plain(other)) return 'line ends'
  if (!changedFiles(git).includes(file)) return 'unchanged'
  // A whole file as it stands in the reply.
  if (one !== undefined && (reply.includes(plain(one)) || dedented(reply).includes(dedented(one))))
    return 'as the reply says'
  // Users change files while a model answers, and aider commits that as well.
  const before = git('show', `${base}:${file}`)
  if (one !== undefined && other !== undefined && isPartOf(before, got, wanted)) return 'part'
  return one !== undefined && saysSo(reply, file, { before: before?.toString('utf8') ?? '', after: one })
    ? 'as the reply says'
    : 'differs'
}

/**
 * Whether a file has exactly the changes that the edits in a reply ask for, blank lines aside, and the lines to be replaced were
 * in it once. Then the commit has something else: aider adds and removes blank lines, and writes duplicates of what it places by
 * parts of a hunk.
 */
function saysSo(reply, file, { before, after }) {
  const [base, got] = [before, after].map((text) => rowsOf(text.split('\n')))
  const edits = editsIn(reply, reply.includes(file) ? file : path.basename(file))
  const expected = new Map()
  const add = (rows, by) => rows.forEach((row) => expected.set(row, (expected.get(row) ?? 0) + by))
  add(base, 1)
  add(got, -1)
  for (const { old, fresh } of edits) {
    if (placesOf(old, base) !== 1 || (fresh.length > 0 && placesOf(fresh, got) === 0)) return false
    add(old, -1)
    add(fresh, 1)
  }
  return edits.length > 0 && [...expected.values()].every((count) => count === 0)
}

/** SEARCH blocks below the name of the file, and the hunks of its diffs. */
function editsIn(reply, name) {
  const edits = []
  let [last, isHere] = [0, false]
  for (const block of reply.matchAll(/^<{5,9} SEARCH\n([^]*?)^={5,9}\n([^]*?)^>{5,9} REPLACE/gm)) {
    const [old, fresh] = [block[1], block[2]].map((text) => rowsOf(text.split('\n')))
    const above = reply.slice(last, block.index)
    if (/^\S+\.\w+\W*$/m.test(above)) isHere = above.includes(name)
    if (isHere) edits.push({ old, fresh })
    last = block.index + block[0].length
  }
  for (const [, head, diff] of reply.matchAll(/^--- .*\n\+\+\+ (.*)\n([^]*?)(?=^```|^--- |(?![^]))/gm)) {
    if (!head.includes(name)) continue
    for (const hunk of diff.split(/^@@.*\n/m).filter((text) => text.trim() !== '')) {
      const rows = hunk.split('\n')
      const side = (mark) => rowsOf(rows.filter((row) => !row.startsWith(mark)).map((row) => row.slice(1)))
      edits.push({ old: side('+'), fresh: side('-') })
    }
  }
  return edits
}

/** Without blank lines and spaces at the end. */
const rowsOf = (lines) => lines.map((line) => line.trimEnd()).filter((line) => line !== '')

const placesOf = (rows, all) =>
  all.filter((_, at) => rows.length > 0 && rows.every((row, offset) => all[at + offset] === row)).length

function plain(text) {
  return text.replaceAll('\r\n', '\n').trimEnd()
}

/** A fence in a list is indented, and its text with it. */
function dedented(text) {
  return plain(text).replace(/^[ \t]+/gm, '')
}

/** Whether a commit has all the changes of a run, and others in the same file. */
function isPartOf(base, got, wanted) {
  const files = [wanted, base ?? Buffer.alloc(0), got].map((bytes, at) => {
    const file = path.join(temporary, `merge-${at}`)
    fs.writeFileSync(file, bytes)
    return file
  })
  const { status, stdout } = spawnSync('git', ['merge-file', '-p', ...files], { maxBuffer: 1 << 28 })
  return status === 0 && stdout.equals(wanted)
}

function classWithoutEdits(git, project, { exit, report }) {
  if (report.broken !== undefined) return ['crashed', report.broken]
  const changed = changedFiles(git)
  if (changed.length > 0) return ['executed', changed.join(', ')]
  if (exit === 0) return ['nothing to do', '']
  const waits =
    (report.proposals ?? []).length > 0 || (report.results ?? []).some(({ code }) => code === 'review_required')
  return [waits ? 'a proposal waits' : 'success is false', '']
}

function print() {
  for (const group of [WITH_EDITS, WITHOUT_EDITS]) {
    const rows = [...counts].filter(([key]) => key.startsWith(`${group}\0`))
    const total = rows.reduce((sum, [, count]) => sum + count, 0)
    console.log(`\n| ${group} | ${total} | share |\n|---|---|---|`)
    for (const [key, count] of rows.sort(([, a], [, b]) => b - a))
      console.log(`| ${key.split('\0')[1]} | ${count} | ${((count * 100) / total).toFixed(1)} % |`)
  }
  console.log(`\n${edits} files with edits, ${models.size} models`)
}
