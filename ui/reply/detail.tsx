import { useEffect, useState } from 'preact/hooks'
import type { FileChange } from '../../src/core/result.ts'
import type { BlockDetail, PlanBlock } from '../../src/ui/protocol.ts'
import { applyOne, toggleDiff } from '../actions.ts'
import { get } from '../api.ts'
import { Button } from '../button.tsx'
import { Diffs } from '../diff/diffs.tsx'
import { StateIcon } from '../icons.tsx'
import { Path } from '../parts.tsx'
import { detailOpen, diffMode, link, looked, outcomeOf, output, page, pending, plan, stateOf } from '../store.ts'
import { labelOf, shown } from '../words.ts'
import { Failure } from './failure.tsx'

/** What is looked at: one block, or one file with all that is done to it. */
export function Detail() {
  const at = looked.value
  const revision = plan.value?.revision
  const path = at.at === 'file' ? `/api/file?path=${encodeURIComponent(at.path)}` : `/api/block?key=${at.key}`
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    const gone = new AbortController()
    get<never>(path, gone.signal).then(
      (value) => setFound(at.at === 'file' ? { at: 'file', change: value } : { at: 'block', detail: value }),
      (error: unknown) => {
        if (!gone.signal.aborted && link.value === 'open') setFound({ at: 'nothing', why: String(error) })
      },
    )
    return () => gone.abort()
  }, [path, revision])

  const block = at.at === 'block' ? plan.value?.blocks[at.key] : undefined
  return (
    <section class="detail">
      <header class="detail-head">
        <span class="back">
          <Button quiet act={() => (detailOpen.value = false)}>
            ‹ Blocks
          </Button>
        </span>
        {block === undefined ? <h2>{at.at === 'file' && <Path path={at.path} />}</h2> : <BlockTitle block={block} />}
        <div class="row tools">
          <Button quiet act={toggleDiff} keys="d" hint="How differences are shown">
            {diffMode.value === 'split' ? 'Unified' : 'Side by side'}
          </Button>
          {block !== undefined && pending.value.includes(block) && (
            <Button act={applyOne} keys="n" disabled={page.value?.running !== null}>
              Apply this
            </Button>
          )}
        </div>
      </header>
      <div class="detail-body scroller" id="detail" tabIndex={0} role="region" aria-label="What it does">
        {found?.at === 'file' && at.at === 'file' && <Diffs changes={[found.change]} />}
        {found?.at === 'block' && block !== undefined && found.detail.key === block.key && (
          <Body block={block} detail={found.detail} />
        )}
        {found?.at === 'nothing' && <p class="quiet pad">Nothing is to be seen here.</p>}
      </div>
    </section>
  )
}

type Found =
  | { readonly at: 'file'; readonly change: FileChange }
  | { readonly at: 'block'; readonly detail: BlockDetail }
  | { readonly at: 'nothing'; readonly why: string }

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
          {problem.hint !== undefined && <p class="hint">{shown(problem.hint)}</p>}
        </div>
      ))}
      {note !== undefined && <p class="alert warn">{shown(note)}</p>}
      {result !== undefined && !result.success && <Failure result={result} state={block.state} />}
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
