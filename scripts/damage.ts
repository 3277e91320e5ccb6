import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { historyEdits, otherEdits, packageEdits } from '../test/damage/corpus.ts'
import { type Case, damages } from '../test/damage/damages.ts'
import { type DamagedSyntax, syntaxes, written } from '../test/damage/edit.ts'
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
  /** What applies the same edits beside clada. */
  readonly peers: { readonly codex?: string; readonly filesystem?: string }
}

/** An engine of others, which is given the damaged edits of one syntax. It takes tool calls, so the document stays whole. */
interface Peer {
  readonly name: string
  readonly syntax: DamagedSyntax
  /** Whether it claims success; undefined where the text is no call of it. */
  apply(home: string, text: string, file: string): Promise<boolean | undefined>
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
  peers: programs,
}: Options): Promise<{ table: string; bad: number }> {
  const byDamage = new Map<string, Map<string, Counts>>()
  const byClass = new Map<string, Map<string, Counts>>()
  const peers = await peersOf(programs)
  const compared = new Map<string, Map<string, Counts>>()
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
        for (const peer of peers) {
          if (peer.syntax !== syntax || kind === 'not-as-written' || all.some(({ part }) => part === 'document'))
            continue
          const outcome = await byPeer(peer, home, one)
          if (outcome === undefined) continue
          const key = kind === 'must-refuse' ? 'must-refuse' : 'recoverable'
          for (const [name, each] of [
            [`clada, ${syntax}`, judged.outcome],
            [peer.name, outcome],
          ] as const) {
            const row = compared.get(name) ?? new Map<string, Counts>()
            compared.set(name, row)
            const counts = row.get(key) ?? none()
            row.set(key, counts)
            counts.cases++
            counts[each]++
          }
        }
        const isBad =
          ['silent', 'half', 'wrong'].includes(judged.outcome) ||
          (kind === 'must-refuse' && judged.outcome !== 'refused')
        if (isBad) bad++
        const isPoor = judged.outcome === 'refused' && !judged.enough
        if (verbose && (isBad || isPoor || judged.unwarned || (kind !== 'must-refuse' && judged.outcome !== 'right'))) {
          const said = judged.result.results.map(({ error, warnings }) => error ?? warnings?.join('; ') ?? 'ok')
          const diagnostics = judged.result.parseErrors.map(({ message }) => message)
          process.stdout.write(
            `${judged.unwarned ? 'unwarned' : isPoor ? 'not enough' : judged.outcome} | ${syntax} | ${all.map(({ name }) => name).join(' + ')} | ${edit.path} | ${[...said, ...diagnostics].join(' / ').slice(0, 300)}\n`,
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
  return { table: [...table, ...peersTable(compared)].join('\n'), bad }
}

/** The file that another engine makes of a damaged edit, judged in the same way. */
async function byPeer(peer: Peer, home: string, one: Case): Promise<Outcome | undefined> {
  const file = path.join(home, one.edit.path)
  fs.writeFileSync(file, one.file)
  const success = await peer.apply(home, one.document(written(peer.syntax, one.writing)), one.writing.path)
  const after = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined
  for (const name of fs.readdirSync(home)) fs.rmSync(path.join(home, name), { recursive: true })
  return success === undefined ? undefined : outcomeOf(one, after, { success })
}

async function peersOf({ codex, filesystem }: Options['peers']): Promise<Peer[]> {
  const peers: Peer[] = []
  if (codex !== undefined)
    peers.push({
      name: 'Codex apply_patch',
      syntax: 'apply-patch',
      apply: async (cwd, text) =>
        spawnSync(codex, ['--codex-run-as-apply-patch', text], { cwd, stdio: 'ignore' }).status === 0,
    })
  if (filesystem !== undefined) {
    const { applyFileEdits } = await import(pathToFileURL(filesystem).href)
    peers.push({
      name: 'MCP filesystem server edit_file',
      syntax: 'search-replace',
      apply: async (home, text, name) => {
        const pairs = [...text.matchAll(/^<{7} SEARCH\n([^]*?)\n={7}\n([^]*?)\n?>{7} REPLACE$/gm)]
        if (pairs.length === 0) return undefined
        const edits = pairs.map(([, oldText, newText]) => ({ oldText, newText }))
        return await applyFileEdits(path.resolve(home, name), edits).then(
          () => true,
          () => false,
        )
      },
    })
  }
  return peers
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
    '| the same edits | recoverable | right | wrong | refused | must refuse | applied all the same |',
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
