import { signal } from '@preact/signals'
import type { UndoResult } from '../../../clada/src/timetravel/undo.ts'
import { showNotice, stepHistory, undoOrRedo, type TurnRequest } from '../actions.ts'
import { Button } from '../button.tsx'
import { Name } from '../parts.tsx'
import { view } from '../store.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { loadTimeline, marked } from './timeline.ts'

/** What an undo or a step came to, where it did not simply work. */
const outcome = signal<TurnOutcome | null>(null)

interface TurnOutcome {
  readonly error: string
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[]
  /** Does it all the same, merging. */
  readonly merge?: () => Promise<unknown>
}

/** Undoes or redoes what is named, else what was last. */
export async function runTurn(way: 'undo' | 'redo', asked: TurnRequest = {}): Promise<void> {
  const done = way === 'undo' ? 'Undone' : 'Redone'
  shows(await undoOrRedo(way, asked), done, async () =>
    shows(await undoOrRedo(way, { ...asked, force: true }), `${done}, merged`),
  )
}

/** Its result is shown in the timeline, wherever it was requested. */
export function undoLast(): Promise<void> {
  view.value = 'timeline'
  return runTurn('undo')
}

function shows(result: UndoResult | undefined, done: string, merge?: () => Promise<unknown>): void {
  if (result === undefined) return
  const { success, execution, executions, actions, restored, conflicts, error = '', warnings = [] } = result
  if (success) {
    marked.value = new Set()
    const files = formatCount(restored.length, 'file')
    const numbers = executions ?? [execution]
    const which = `${numbers.length === 1 ? 'execution' : 'executions'} ${numbers.join(', ')}`
    const part = actions === undefined ? '' : `action ${actions.join(', ')} of `
    showNotice([`${done}: ${part}${which}. ${files} changed.`, ...warnings].join(' '), 'good')
  }
  const canMerge = !success && conflicts.length > 0 && merge !== undefined
  outcome.value =
    success && conflicts.length === 0
      ? null
      : {
          error: success ? 'Check these files:' : canMerge ? 'These files changed since then:' : error,
          conflicts,
          merge: canMerge ? merge : undefined,
        }
  void loadTimeline()
}

export async function runStep(way: 'back' | 'forward'): Promise<void> {
  const result = await stepHistory(way)
  if (result === undefined) return
  const { success, branch, commit = '', error = '', conflicts = [], kept = [] } = result
  const where = branch === undefined ? `at ${commit.slice(0, 8)}` : `on ${branch}, at ${commit.slice(0, 8)}`
  if (success) showNotice(`Now ${where}.`, 'good')
  const [why, listed] = success ? [notBroughtBack, kept] : [error, conflicts]
  outcome.value = listed.length === 0 && success ? null : { error: why, conflicts: listed.map(withoutReason) }
  void loadTimeline()
}

const notBroughtBack = 'Some stashed changes were not restored. Restore each of these with git stash apply --index:'

const withoutReason = (path: string) => ({ path, reason: '' })

export function Turn() {
  if (outcome.value === null) return null
  const { error, conflicts, merge } = outcome.value
  return (
    <div class="alert bad" role="alert">
      <p>{spellOut(error)}</p>
      <ul>
        {conflicts.map(({ path, reason }) => (
          <li key={path}>
            <Name named="mono" of={path} />
            {reason !== '' && `: ${spellOut(reason)}`}
          </li>
        ))}
      </ul>
      <div class="row">
        {merge !== undefined && (
          <Button act={merge} hint="Keeps both changes where possible, and marks conflicts">
            Merge with my changes
          </Button>
        )}
        <Button quiet act={() => (outcome.value = null)}>
          Leave it
        </Button>
      </div>
    </div>
  )
}
