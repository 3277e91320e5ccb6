import { useEffect, useState } from 'preact/hooks'
import type { BlockDetail, PlanBlock } from '../../../clada/src/ui/protocol.ts'
import { applyOne, showDiffs, toggleSpace } from '../actions.ts'
import { get } from '../api.ts'
import { Button, Segments } from '../button.tsx'
import { StateIcon } from '../icons.tsx'
import {
  detailOpen,
  diffMode,
  ignoresSpace,
  isHopeless,
  link,
  looked,
  findOutcome,
  output,
  page,
  pending,
  plan,
  blockMark,
} from '../store.ts'
import { BlockName, isolateParts } from '../parts.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { labelOf } from '../labels.ts'
import { AllFiles } from './all-files.tsx'
import { BlockFiles, Editor, ParamsEditor } from './block-files.tsx'
import {
  canDecideNow,
  detail,
  findDetail,
  editing,
  forgetChoice,
  hunkAt,
  keepReply,
  leaveBlock,
  moveHunk,
  toggleBlock,
} from './choices.ts'
import { Failure, placeName } from './failure.tsx'
import { ReplyMap } from './reply-map.tsx'

/** What is looked at: one block, all files, or the map. */
export function Detail() {
  const at = looked.value
  const edited = editing.value
  const isReply = edited?.what === 'reply'
  const block = at.at === 'block' && !isReply ? plan.value?.blocks[at.key] : undefined
  return (
    <section class="detail" aria-label="What the reply does">
      <header class="detail-head">
        <span class="back">
          <Button quiet act={() => (detailOpen.value = false)}>
            ‹ Blocks
          </Button>
        </span>
        {isReply && <h2>Edit the reply</h2>}
        {block !== undefined && <BlockTitle block={block} />}
        {at.at === 'files' && !isReply && <h2>All files</h2>}
        {at.at === 'map' && !isReply && <h2>Map of the reply</h2>}
        {block !== undefined && pending.value.includes(block) && !isHopeless(block) && (
          <Button act={applyOne} keys="n" disabled={page.value?.running !== null || plan.value?.isChecking === true}>
            Apply this
          </Button>
        )}
        {at.at !== 'map' && !isReply && (
          <div class="row tools" role="toolbar" aria-label="What is shown, and what is decided">
            <DiffTools />
            {block !== undefined && <BlockTools block={block} />}
          </div>
        )}
      </header>
      {edited?.what === 'reply' ? (
        <div class="detail-body whole" id="detail" tabIndex={-1}>
          <Editor
            label="The reply"
            path="reply.md"
            text={edited.text}
            draftKey={`${plan.value?.reply} reply`}
            keep={keepReply}
          />
        </div>
      ) : at.at === 'map' ? (
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
    <span class="segments" role="group" aria-label="Go to a change">
      <Button act={() => moveHunk('before')} keys="[" name="Previous change">
        <span aria-hidden="true">↑</span>
      </Button>
      <Button act={() => moveHunk('next')} keys="]" name="Next change">
        <span aria-hidden="true">↓</span>
      </Button>
    </span>
    <Segments
      label="How diffs are shown"
      hint="How diffs are shown (d)"
      value={diffMode.value}
      options={diffModes}
      choose={showDiffs}
    />
    <Button act={toggleSpace} keys="w" pressed={ignoresSpace.value} hint="Hide changes of whitespace only">
      Ignore whitespace
    </Button>
  </>
)

const diffModes = [
  ['split', 'Side by side'],
  ['unified', 'Unified'],
] as const

/** When the last block was requested: while a key is held down none is loaded. */
let asked = 0

function OneBlock({ block }: { block: PlanBlock }) {
  const revision = plan.value?.revision
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    const gone = new AbortController()
    const pause = performance.now() - asked < 100 ? 80 : 0
    asked = performance.now()
    const timer = setTimeout(() => {
      get<BlockDetail | null>(`/api/block?key=${block.key}&revision=${revision}`, gone.signal).then(
        (found) => {
          if (found !== null) detail.value = found
          setMissing(false)
        },
        () => {
          if (!gone.signal.aborted && link.value === 'open') setMissing(true)
        },
      )
    }, pause)
    return () => {
      clearTimeout(timer)
      gone.abort()
    }
  }, [block.key, revision])
  useEffect(() => {
    hunkAt.value = null
    if (editing.value !== null && editing.value.what !== 'reply') editing.value = null
  }, [block.key])
  const found = findDetail(block)
  if (isMissing) return <p class="quiet pad">This block cannot be shown. Refresh the page.</p>
  return found !== undefined ? <Body block={block} detail={found} /> : null
}

/** What can be decided about a block as a whole. */
function BlockTools({ block }: { block: PlanBlock }) {
  const found = findDetail(block)
  if (found === undefined || !canDecideNow(block)) return null
  const of = { block, choice: found.choice }
  return (
    <>
      <span class="gap" />
      <Button act={() => (editing.value = { what: 'block' })} hint="Edit the parameters of the block">
        Edit block
      </Button>
      <Button act={toggleBlock} keys="L" pressed={found.choice.leaveOut === true} hint="The report tells the model">
        Leave out
      </Button>
      {Object.keys(found.choice).length > 0 && (
        <Button act={() => forgetChoice(of)} hint="As the model wrote it">
          Undo my changes
        </Button>
      )}
    </>
  )
}

function BlockTitle({ block }: { block: PlanBlock }) {
  const state = blockMark(block)
  const { startLine, endLine, action, id, syntax, proposed } = block
  const facts = [
    spellOut(action),
    // The id of a proposal is a number that nobody wrote.
    proposed
      ? 'proposal'
      : [syntax, id]
          .filter((part) => part !== '-')
          .map(spellOut)
          .join(' '),
    endLine === null
      ? `from line ${startLine}`
      : startLine === endLine
        ? `line ${startLine}`
        : `lines ${startLine}–${endLine}`,
  ]
  return (
    <div class="title">
      <h2>
        <BlockName of={block} />
      </h2>
      <p class="line quiet">
        <StateIcon mark={state} />
        <span class={`state-${state}`}>{labelOf(state)}</span>
        <span>{facts.filter((fact) => fact !== '').join(' · ')}</span>
      </p>
    </div>
  )
}

function Body({ block, detail }: { block: PlanBlock; detail: BlockDetail }) {
  const { problems, warnings, note, explanation, result, files, raw, prose, params, choice } = detail
  const of = { block, choice }
  const going = output.value?.task === block.task && block.task !== undefined ? output.value?.text : undefined
  // What was foreseen of a program is nothing but that it would run, and now it does.
  const foreseen = going === undefined || findOutcome(block) !== undefined ? detail.output : undefined
  return (
    <>
      {prose.above !== '' && <ProseText key={prose.above} text={prose.above} />}
      {explanation !== undefined && <p class="say">{spellOut(explanation)}</p>}
      {problems.map((problem, index) => (
        <div key={index} class="alert bad">
          <p>
            {problem.line !== undefined && <span class="quiet">Line {problem.line}. </span>}
            {spellOut(problem.message)}
          </p>
          {problem.hint !== undefined && <p class="hint">The report tells the model: {spellOut(problem.hint)}</p>}
        </div>
      ))}
      {note !== undefined && <p class="alert warn">Not executed: {spellOut(note)}.</p>}
      {editing.value?.what === 'block' && <ParamsEditor of={of} params={params} />}
      {choice.leaveOut === true && (
        <label class="why">
          Left out. Why? The model reads it.
          <input
            type="text"
            defaultValue={choice.reason ?? ''}
            onChange={(event) => leaveBlock(of, event.currentTarget.value)}
          />
        </label>
      )}
      {choice.place !== undefined && <p class="alert good">It goes to {placeName(choice.place)}, as you chose.</p>}
      {result !== undefined && !result.success && block.state !== 'left' && !isAsked(block) && (
        <Failure of={of} detail={detail} />
      )}
      {(going === undefined ? warnings : []).map((warning) => (
        <p key={warning} class="alert warn">
          {spellOut(warning)}
        </p>
      ))}
      <BlockFiles block={block} detail={detail} />
      {going !== undefined && <Output text={going} title="Output so far" />}
      {block.runs !== undefined && block.outcome === undefined && foreseen !== undefined ? (
        <Output text={block.runs} title="Would run" />
      ) : (
        foreseen !== undefined && <Output text={foreseen} title="Output" />
      )}
      {prose.below !== '' && <ProseText key={prose.below} text={prose.below} />}
      <details class="raw" open={files.length === 0 && detail.output === undefined}>
        <summary>The block as the model wrote it</summary>
        <pre tabIndex={0} aria-label="The block as text">
          {isolateParts(spellOut(raw))}
        </pre>
      </details>
    </>
  )
}

/** The card above says all of it while the question waits. */
const isAsked = (block: PlanBlock): boolean => blockMark(block) === 'waiting'

/** What the model says about the block. A long text is cut until it is wanted. */
function ProseText({ text }: { text: string }) {
  const isLong = text.length > 400 || text.split('\n').length > 6
  const [isWhole, setWhole] = useState(!isLong)
  return (
    <figure class="prose" aria-label="What the model wrote around the block">
      <blockquote class={isWhole ? '' : 'cut'}>{isolateParts(spellOut(text))}</blockquote>
      {isLong && (
        <button type="button" class="more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      )}
    </figure>
  )
}

const Output = ({ text, title }: { text: string; title: string }) => (
  <section class="output" aria-label={title}>
    <h3>{title}</h3>
    <pre tabIndex={0}>{isolateParts(spellOut(text))}</pre>
  </section>
)
