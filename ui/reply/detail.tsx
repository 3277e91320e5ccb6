import { useEffect, useState } from 'preact/hooks'
import type { BlockDetail, PlanBlock } from '../../src/ui/protocol.ts'
import { applyOne, toggleDiff, toggleSpace } from '../actions.ts'
import { get } from '../api.ts'
import { Button } from '../button.tsx'
import { Diffs } from '../diff/diffs.tsx'
import { jump } from '../diff/jump.ts'
import { StateIcon } from '../icons.tsx'
import {
  detailOpen,
  diffMode,
  ignoresSpace,
  link,
  looked,
  outcomeOf,
  output,
  page,
  pending,
  plan,
  stateOf,
} from '../store.ts'
import { labelOf, shown } from '../words.ts'
import { AllFiles } from './all-files.tsx'
import { Failure } from './failure.tsx'
import { ReplyMap } from './map.tsx'

/** What is looked at: one block, all files, or the map. */
export function Detail() {
  const at = looked.value
  const block = at.at === 'block' ? plan.value?.blocks[at.key] : undefined
  return (
    <section class="detail" aria-label="What the reply does">
      <header class="detail-head">
        <span class="back">
          <Button quiet act={() => (detailOpen.value = false)}>
            ‹ Blocks
          </Button>
        </span>
        {block !== undefined && <BlockTitle block={block} />}
        {at.at === 'files' && <h2>All files</h2>}
        {at.at === 'map' && <h2>Map of the reply</h2>}
        <div class="row tools">
          {at.at !== 'map' && <DiffTools />}
          {block !== undefined && pending.value.includes(block) && (
            <Button act={applyOne} keys="n" disabled={page.value?.running !== null || plan.value?.looking === true}>
              Apply this
            </Button>
          )}
        </div>
      </header>
      {at.at === 'map' ? (
        <ReplyMap />
      ) : (
        <div class="detail-body scroller" id="detail" tabIndex={0} role="region" aria-label="What it does">
          {at.at === 'files' && <AllFiles />}
          {block !== undefined && <OneBlock key={block.key} block={block} />}
        </div>
      )}
    </section>
  )
}

/** How differences are shown. */
export const DiffTools = () => (
  <>
    <Button quiet act={() => jump('before')} keys="[" hint="To the change before ([)">
      <span aria-hidden="true">↑</span>
      <span class="unseen">Change before</span>
    </Button>
    <Button quiet act={() => jump('next')} keys="]" hint="To the next change (])">
      <span aria-hidden="true">↓</span>
      <span class="unseen">Next change</span>
    </Button>
    <Button quiet act={toggleSpace} keys="w" pressed={ignoresSpace.value} hint="Lines that differ by white space only">
      Ignore spaces
    </Button>
    <Button quiet act={toggleDiff} keys="d" hint="How differences are shown">
      {diffMode.value === 'split' ? 'Unified' : 'Side by side'}
    </Button>
  </>
)

/** When the last block was asked for: whoever holds a key down is served when the key rests. */
let asked = 0

function OneBlock({ block }: { block: PlanBlock }) {
  const revision = plan.value?.revision
  const [detail, setDetail] = useState<BlockDetail | 'none'>()
  useEffect(() => {
    const gone = new AbortController()
    const pause = performance.now() - asked < 100 ? 80 : 0
    asked = performance.now()
    const timer = setTimeout(() => {
      get<BlockDetail>(`/api/block?key=${block.key}`, gone.signal).then(setDetail, () => {
        if (!gone.signal.aborted && link.value === 'open') setDetail('none')
      })
    }, pause)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [block.key, revision])
  if (detail === 'none') return <p class="quiet pad">Nothing is to be seen here.</p>
  return detail === undefined ? null : <Body block={block} detail={detail} />
}

function BlockTitle({ block }: { block: PlanBlock }) {
  const state = stateOf(block)
  const { startLine, endLine } = block
  return (
    <div class="title">
      <h2>
        {shown(block.action === '' ? 'No action' : block.action)} <bdi class="mono target">{shown(block.target)}</bdi>
      </h2>
      <p class="line quiet">
        <StateIcon mark={state} />
        <span class={`state-${state}`}>{labelOf(state)}</span>
        <span>
          {shown(block.id)} · {block.syntax} ·{' '}
          {endLine === null ? `from line ${startLine}` : `lines ${startLine}–${endLine}`}
        </span>
      </p>
    </div>
  )
}

function Body({ block, detail }: { block: PlanBlock; detail: BlockDetail }) {
  const { problems, warnings, note, explanation, result, changes, raw } = detail
  const going = output.value?.task === block.task && block.task !== undefined ? output.value?.text : undefined
  // What was foreseen of a program is nothing but that it would run, and now it does.
  const foreseen = going === undefined || outcomeOf(block) !== undefined ? detail.output : undefined
  return (
    <>
      {explanation !== undefined && <p class="say">{shown(explanation)}</p>}
      {problems.map((problem, index) => (
        <div key={index} class="alert bad">
          <p>
            {problem.line !== undefined && <span class="quiet">Line {problem.line}. </span>}
            {shown(problem.message)}
          </p>
          {problem.hint !== undefined && <p class="hint">The answer tells the model: {shown(problem.hint)}</p>}
        </div>
      ))}
      {note !== undefined && <p class="alert warn">{shown(note)}</p>}
      {result !== undefined && !result.success && <Failure detail={detail} state={block.state} />}
      {(going === undefined ? warnings : []).map((warning) => (
        <p key={warning} class="alert warn">
          {shown(warning)}
        </p>
      ))}
      <Diffs changes={changes} />
      {going !== undefined && <Output text={going} title="Output so far" />}
      {foreseen !== undefined && <Output text={foreseen} title="Output" />}
      <details class="raw" open={changes.length === 0 && detail.output === undefined}>
        <summary>The block as the model wrote it</summary>
        <pre tabIndex={0} aria-label="The block as text">
          {shown(raw)}
        </pre>
      </details>
    </>
  )
}

const Output = ({ text, title }: { text: string; title: string }) => (
  <section class="output" aria-label={title}>
    <h3>{title}</h3>
    <pre tabIndex={0}>{shown(text)}</pre>
  </section>
)
