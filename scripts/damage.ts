import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { historyEdits, otherEdits, packageEdits } from '../test/damage/corpus.ts'
import { type Case, damages } from '../test/damage/damages.ts'
import { syntaxes, written } from '../test/damage/edit.ts'
import { classOf, combinationsOf, judge, type Outcome, outcomeOf, outcomes } from '../test/damage/judge.ts'

interface Options {
  readonly root: string
  readonly edits: number
  readonly most: number
  readonly verbose: boolean
  /** Only damages and files whose names have this. */
  readonly only: string
  readonly file: string
  /** A directory of other files, in which edits are made up; '' for the usual ones. */
  readonly from: string
  readonly seed: number
  /** The program of Codex, which applies patches when it is called `apply_patch`; '' without it. */
  readonly codex: string
}

type Counts = Record<Outcome | 'cases' | 'unwarned' | 'enough', number>

const none = (): Counts => ({
  cases: 0,
  right: 0,
  blurred: 0,
  refused: 0,
  silent: 0,
  half: 0,
  wrong: 0,
  unwarned: 0,
  enough: 0,
})

/** Damages edits in every way, applies them, and gives a table of the results. */
export async function measure({
  root,
  edits,
  most,
  verbose,
  only,
  file,
  from,
  seed: first,
  codex,
}: Options): Promise<{ table: string; bad: number }> {
  const byDamage = new Map<string, Map<string, Counts>>()
  const byClass = new Map<string, Map<string, Counts>>()
  const peers = new Map<string, Map<string, Counts>>()
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-damage-'))
  let cases = 0
  let bad = 0
  let seed = 7
  try {
    const corpus =
      from === ''
        ? [...historyEdits(root, edits / 2), ...packageEdits(path.join(root, 'node_modules'), edits / 2)]
        : [...otherEdits(from, edits, first)]
    const counted = (pairs: 'all' | 'none'): number =>
      corpus.reduce((sum, edit) => sum + [...combinationsOf(edit, pairs)].length, 0)
    const alone = counted('none')
    const share = (most - alone) / (counted('all') - alone)
    for (const [nth, edit] of corpus.entries()) {
      if (!edit.path.includes(file)) continue
      const home = path.join(dir, String(nth))
      fs.mkdirSync(home)
      for (const { damages: all, syntax, one } of combinationsOf(edit, 'all')) {
        seed = (seed * 48271) % 2147483647
        if (all.length > 1 && seed / 2147483647 > share) continue
        if (!all.some(({ name }) => name.includes(only))) continue
        const judged = await judge(
          home,
          one,
          syntax,
          all.some(({ warns }) => warns),
        )
        cases++
        const kind = classOf(all)
        for (const [table, key] of [
          [byClass, `${kind}${all.length > 1 ? ', pairs' : ''}`],
          ...(all.length === 1 ? [[byDamage, all[0]?.name ?? ''] as const] : []),
        ] as const) {
          const row = table.get(key) ?? new Map<string, Counts>()
          table.set(key, row)
          const counts = row.get(syntax) ?? none()
          row.set(syntax, counts)
          counts.cases++
          counts[judged.outcome]++
          if (judged.unwarned) counts.unwarned++
          if (judged.enough) counts.enough++
        }
        // It takes a patch from a tool call, so it is not given damage to the document around one.
        if (codex !== '' && syntax === 'apply-patch' && !all.some(({ part }) => part === 'document')) {
          const theirs = { outcome: byCodex(codex, home, one), unwarned: false, enough: false }
          for (const [name, { outcome }] of [
            ['clada', judged],
            ['Codex apply_patch', theirs],
          ] as const) {
            const key = kind === 'must-refuse' ? 'must-refuse' : 'recoverable'
            const row = peers.get(name) ?? new Map<string, Counts>()
            peers.set(name, row)
            const counts = row.get(key) ?? none()
            row.set(key, counts)
            counts.cases++
            counts[outcome]++
          }
        }
        const isBad =
          ['silent', 'half', 'wrong'].includes(judged.outcome) ||
          (kind === 'must-refuse' && judged.outcome !== 'refused')
        if (isBad) bad++
        const isPoor = judged.outcome === 'refused' && !judged.enough
        if (verbose && (isBad || isPoor || judged.unwarned || (kind !== 'must-refuse' && judged.outcome !== 'right'))) {
          const said = judged.result.results.map(({ error, warnings }) => error ?? warnings?.join('; ') ?? 'ok')
          const faults = judged.result.parseErrors.map(({ message }) => message)
          process.stdout.write(
            `${judged.unwarned ? 'unwarned' : isPoor ? 'not enough' : judged.outcome} | ${syntax} | ${all.map(({ name }) => name).join(' + ')} | ${edit.path} | ${[...said, ...faults].join(' / ').slice(0, 300)}\n`,
          )
          if (process.env['DAMAGE_SHOW'] !== undefined)
            process.stdout.write(`${judged.text}\n=== file\n${judged.file}\n=== expected\n${one.expected}\n`)
        }
      }
    }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
  const table = [`${cases} cases`, '', tableOf('class', byClass), '', tableOf('damage', byDamage)]
  return { table: [...table, ...peersTable(peers)].join('\n'), bad }
}

/** The file that Codex makes of a damaged patch, judged in the same way. */
function byCodex(codex: string, home: string, one: Case): Outcome {
  const file = path.join(home, one.edit.path)
  fs.writeFileSync(file, one.file)
  const patch = one.document(written('apply-patch', one.writing))
  const { status } = spawnSync(codex, ['--codex-run-as-apply-patch', patch], { cwd: home, stdio: 'ignore' })
  const after = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined
  for (const name of fs.readdirSync(home)) fs.rmSync(path.join(home, name), { recursive: true })
  return outcomeOf(one, after, { success: status === 0 })
}

function peersTable(peers: ReadonlyMap<string, ReadonlyMap<string, Counts>>): string[] {
  if (peers.size === 0) return []
  const share = (counts: Counts, keys: readonly Outcome[]): string => {
    const sum = keys.reduce((total, key) => total + counts[key], 0)
    return `${sum} (${((100 * sum) / Math.max(1, counts.cases)).toFixed(1)} %)`
  }
  const rows = [...peers].map(([name, row]) => {
    const [good, bad] = [row.get('recoverable') ?? none(), row.get('must-refuse') ?? none()]
    const applied = share(bad, ['right', 'blurred', 'half', 'wrong'])
    return `| ${[name, good.cases, share(good, ['right']), share(good, ['blurred', 'half', 'wrong']), share(good, ['refused', 'silent']), bad.cases, applied].join(' | ')} |`
  })
  return [
    '',
    '| patches | recoverable | right | wrong | refused | must refuse | applied all the same |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ]
}

function tableOf(what: string, rows: ReadonlyMap<string, ReadonlyMap<string, Counts>>): string {
  const lines = [
    `| ${what} | ${['cases', ...outcomes, 'unwarned', 'enough said', ...syntaxes].join(' | ')} |`,
    `|---|${'---|'.repeat(9 + syntaxes.length)}`,
  ]
  const order = damages.map(({ name }) => name)
  for (const [name, row] of [...rows].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b) || (a < b ? -1 : 1))) {
    const sum = none()
    for (const counts of row.values())
      for (const key of ['cases', 'unwarned', 'enough', ...outcomes] as const) sum[key] += counts[key]
    const per = syntaxes.map((syntax) => {
      const counts = row.get(syntax)
      return counts === undefined
        ? ''
        : `${Math.round((100 * (name.startsWith('must-refuse') || damages.find((one) => one.name === name)?.class === 'must-refuse' ? counts.refused : counts.right)) / counts.cases)} %`
    })
    lines.push(
      `| ${name} | ${[sum.cases, ...outcomes.map((key) => sum[key]), sum.unwarned, sum.refused === 0 ? '' : `${sum.enough} of ${sum.refused}`, ...per].join(' | ')} |`,
    )
  }
  return lines.join('\n')
}
