import { applyMarked, copyAnswer, stop } from '../actions.ts'
import { Button } from '../button.tsx'
import { applicable, chosen, counts, live, page, pending, plan, tornGroup } from '../store.ts'
import { undoLast } from '../timeline/turn.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { plural } from '../words.ts'

/** The decision and its result. */
export function ApplyBar() {
  const running = page.value?.running
  const left = applicable.value.length
  const waiting = pending.value.filter(({ state }) => state === 'unknown').length
  const cannot = pending.value.filter(({ state }) => state !== 'left' && state !== 'unknown').length - left
  const some = chosen.value.length
  const torn = tornGroup.value
  const { done, failed, left: leftOut } = counts.value
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
      {done + failed > 0 && (
        <div class="row outcome">
          <p class="result" role="status">
            <span class="state-done">{done} done</span>
            {failed > 0 && <span class="state-failed">{failed} failed</span>}
            {left > 0 && <span class="quiet">{left} left</span>}
            {cannot > 0 && <span class="quiet">{cannot} cannot be applied</span>}
            {leftOut > 0 && <span class="quiet">{leftOut} left out</span>}
          </p>
          <Button quiet act={undoLast} hint="Take back the last execution">
            Undo
          </Button>
        </div>
      )}
      {done + failed === 0 && cannot > 0 && !plan.value?.looking && (
        <p class="quiet">{plural(cannot, 'block')} cannot be applied. The answer tells the model why.</p>
      )}
      {waiting > 0 && <p class="quiet">{plural(waiting, 'block')} unknown until a program has run.</p>}
      <div class="row">
        {plan.value?.looking && <p class="quiet pad">Looking at what each block would do…</p>}
        {left + some > 0 && (
          <Button kind="primary" act={applyMarked} keys="a" disabled={plan.value?.fatal !== undefined}>
            {some > 0 ? `Apply ${some} marked` : done + failed > 0 ? `Apply the other ${left}` : `Apply ${allOf(left)}`}
          </Button>
        )}
        <Button kind={left === 0 ? 'primary' : 'plain'} act={copyAnswer} keys="c" hint="The report for the model">
          {done + failed > 0 ? 'Copy answer' : 'Copy preview'}
        </Button>
      </div>
    </footer>
  )
}

const allOf = (count: number): string => (count === 1 ? 'it' : `all ${count}`)

function Progress({ what, total }: { what: string; total: number }) {
  const done = what === 'document' ? live.value.size : 0
  return (
    <footer class="apply">
      <div class="row">
        <progress max={total} value={done} aria-label="Progress" />
        <span class="quiet nowrap">{what === 'document' ? `${done} of ${plural(total, 'block')}` : what}</span>
        <Button kind="danger" act={stop} keys="s">
          Stop
        </Button>
      </div>
    </footer>
  )
}
