import { signal } from '@preact/signals'
import type { StepResult } from '../../src/timetravel/back-forward.ts'
import type { UndoResult } from '../../src/timetravel/undo.ts'
import { redo, say, step, undo } from '../actions.ts'
import { Button } from '../button.tsx'
import { view } from '../store.ts'
import { shown } from '../words.ts'
import { load } from './timeline.ts'

/** What an undo or a step came to, where it did not simply work. */
const outcome = signal<Outcome | null>(null)

interface Outcome {
  readonly error: string
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[]
  /** Does it all the same, merging. */
  readonly merge?: () => Promise<unknown>
}

export async function turnBack(
  what: 'undo' | 'back',
  asked: { readonly number?: number; readonly action?: number; readonly numbers?: readonly number[] } = {},
): Promise<void> {
  if (what === 'back') return stepped(await step('back'))
  turned(await undo(asked), 'Undone', async () => turned(await undo({ ...asked, force: true }), 'Undone, merged'))
}

/** Its result is shown in the timeline, wherever it was requested. */
export function undoLast(): Promise<void> {
  view.value = 'timeline'
  return turnBack('undo')
}

export async function turnForward(what: 'redo' | 'forward'): Promise<void> {
  if (what === 'forward') return stepped(await step('forward'))
  turned(await redo(), 'Done again', async () => turned(await redo({ force: true }), 'Done again, merged'))
}

function turned(result: UndoResult | undefined, done: string, merge?: () => Promise<unknown>): void {
  if (result === undefined) return
  const { success, execution, executions, actions, restored, conflicts, error = '', warnings = [] } = result
  if (success) {
    const files = restored.length === 1 ? '1 file is' : `${restored.length} files are`
    const numbers = executions ?? [execution]
    const which = `${numbers.length === 1 ? 'execution' : 'executions'} ${numbers.join(', ')}`
    const part = actions === undefined ? '' : `action ${actions.join(', ')} of `
    say([`${done}: ${part}${which}. ${files} as before.`, ...warnings].join(' '), 'good')
  }
  const canMerge = !success && conflicts.length > 0 && merge !== undefined
  outcome.value =
    success && conflicts.length === 0
      ? null
      : {
          error: success ? 'These files need a look:' : canMerge ? 'These files changed since then:' : error,
          conflicts,
          ...(canMerge ? { merge } : {}),
        }
  void load()
}

function stepped(result: StepResult | undefined): void {
  if (result === undefined) return
  const { success, branch, commit = '', error = '', conflicts = [], kept = [] } = result
  const where = branch === undefined ? `at ${commit.slice(0, 8)}` : `on ${branch}, at ${commit.slice(0, 8)}`
  if (success) say(`Now ${where}.`, 'good')
  const [why, listed] = success ? [notBroughtBack, kept] : [error, conflicts]
  outcome.value = listed.length === 0 && success ? null : { error: why, conflicts: listed.map(unexplained) }
  void load()
}

const notBroughtBack =
  'What was put aside on the way was not brought back. git stash apply --index takes each of these:'

const unexplained = (path: string) => ({ path, reason: '' })

export function Turn() {
  if (outcome.value === null) return null
  const { error, conflicts, merge } = outcome.value
  return (
    <div class="alert bad" role="alert">
      <p>{shown(error)}</p>
      <ul>
        {conflicts.map(({ path, reason }) => (
          <li key={path}>
            <bdi class="mono">{shown(path)}</bdi>
            {reason !== '' && `: ${shown(reason)}`}
          </li>
        ))}
      </ul>
      <div class="row">
        {merge !== undefined && (
          <Button act={merge} hint="Keeps both changes where that can be; marks what cannot">
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
