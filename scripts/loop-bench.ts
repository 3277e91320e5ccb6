import { counted } from '../src/core/result.ts'
import { replay, type Replayed, tasksIn } from '../test/models/replay.ts'

/** Replays the tasks of test/models and returns a table of the tokens that each takes. */
export async function loopBench(root: string, only: string | undefined, show: (text: string) => void): Promise<string> {
  const tasks = tasksIn(root).filter(({ name }) => only === undefined || name === only)
  const done: { kind: string; replayed: Replayed }[] = []
  const rows: string[] = ['| task | replies | prompt | replies, tokens | reports, tokens |', '|---|---|---|---|---|']
  for (const task of tasks) {
    const replayed = await replay(task, root)
    done.push({ kind: task.kind, replayed })
    const { prompt, replies, reports } = replayed.tokens
    rows.push(`| ${task.name} (${task.kind}) | ${replayed.turns.length} | ${prompt} | ${replies} | ${reports} |`)
    if (only !== undefined) for (const { report } of replayed.turns) show(report)
  }
  for (const kind of ['exercise', 'repository']) {
    const some = done.filter((one) => one.kind === kind).map(({ replayed }) => replayed)
    if (some.length === 0) continue
    const mean = (of: (one: Replayed) => number): number =>
      Math.round(some.reduce((sum, one) => sum + of(one), 0) / some.length)
    const [replies, reports, turns] = [
      mean((one) => one.tokens.replies),
      mean((one) => one.tokens.reports),
      mean((one) => one.turns.length),
    ]
    rows.push(
      `| mean of ${counted(some.length, kind, kind === 'repository' ? 'repositories' : 'exercises')} | ${turns} | | ${replies} | ${reports} |`,
    )
  }
  return rows.join('\n')
}
