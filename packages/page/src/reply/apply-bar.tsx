import { applyMarked, copyReport, stopRun } from '../actions.ts'
import { Button } from '../button.tsx'
import { chosen, live, page, plan, tally, tornGroup } from '../store.ts'
import { undoLast } from '../timeline/undo-and-steps.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { formatCount } from '@clada/reply/core/words.ts'

/** The decision and its result. */
export function ApplyBar() {
  const running = page.value?.running
  const torn = tornGroup.value
  if (running) return <Progress what={running.what} total={running.total} />
  return (
    <footer class="apply">
      {torn !== undefined && (
        <p class="alert warn">
          Only a part of the group on line {torn.line} is marked. Its first failure skips the rest of what is marked.
        </p>
      )}
      {page.value?.remarks.map((remark) => (
        <p key={remark} class="alert warn">
          {spellOut(remark)}
        </p>
      ))}
      <Result />
      <Others />
      <Decision />
    </footer>
  )
}

function Result() {
  const { done, failed } = tally.value
  if (done + failed === 0) return null
  return (
    <div class="row outcome">
      <p class="result" role="status">
        {done > 0 && <span class="state-done">{done} done</span>}
        {failed > 0 && <span class="state-failed">{failed} failed</span>}
      </p>
      {/* What changed nothing is no execution: this would undo an earlier one. */}
      {done > 0 && (
        <Button act={undoLast} hint="Undo the last execution" keys="u">
          Undo
        </Button>
      )}
    </div>
  )
}

/** The blocks that the button does not count, so that the numbers add up. */
function Others() {
  const { asks, unknown, cannot, skipped, left } = tally.value
  const notes = [
    ...(asks === 0 ? [] : [`${asks} ${asks === 1 ? 'needs' : 'need'} an answer`]),
    ...(unknown === 0 ? [] : [`${unknown} known after a program has run`]),
    ...(cannot === 0 ? [] : [`${cannot} cannot be applied`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(left === 0 ? [] : [`${left} left out`]),
  ]
  return notes.length === 0 ? null : <p class="quiet others">{notes.join(', ')}</p>
}

function Decision() {
  const { checking, ready, asks, unknown } = tally.value
  const isPending = checking + ready + asks + unknown + chosen.value.length > 0
  const isChecking = plan.value?.isChecking === true
  return (
    <div class="row">
      {isPending && (
        <Button kind="primary" act={applyMarked} keys="a" disabled={isChecking || plan.value?.fatal !== undefined}>
          {isChecking ? 'Checking…' : applyLabel()}
        </Button>
      )}
      <Button
        kind={isPending ? 'plain' : 'primary'}
        act={copyReport}
        keys="c"
        hint="For the model"
        disabled={isChecking}
      >
        Copy report
      </Button>
    </div>
  )
}

function applyLabel(): string {
  const { ready, asks, done, failed } = tally.value
  const total = plan.value?.blocks.length ?? 0
  const some = chosen.value.length
  if (some > 0) return `Apply ${some} marked`
  if (done + failed > 0) return ready + asks === 0 ? 'Apply the rest' : `Apply ${ready + asks} more`
  // The run puts a question first.
  if (ready === 0) return 'Apply…'
  if (ready === total) return total === 1 ? 'Apply' : `Apply all ${total}`
  return `Apply ${ready} of ${total}`
}

function Progress({ what, total }: { what: string; total: number }) {
  const done = what === 'document' ? live.value.size : 0
  const isWaiting = page.value?.questions.some(({ from }) => from === 'page')
  return (
    <footer class="apply">
      <div class="row">
        <progress max={total} value={done} aria-label="Progress" />
        <span class={`nowrap ${isWaiting ? 'state-approval' : 'quiet'}`}>
          {isWaiting
            ? 'Waits for your answer'
            : what === 'document'
              ? `${done} of ${formatCount(total, 'block')}`
              : what}
        </span>
        <Button kind="danger" act={stopRun} keys="s">
          Stop
        </Button>
      </div>
    </footer>
  )
}
