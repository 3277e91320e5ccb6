import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FileChange } from '../../../clada/src/core/result.ts'
import type { ExecutionView } from '../../../clada/src/ui/protocol.ts'
import { showErrors } from '../actions.ts'
import { get } from '../api.ts'
import { Button } from '../button.tsx'
import { Diffs } from '../diff/diffs.tsx'
import { StateIcon } from '../icons.tsx'
import { Name, Search } from '../parts.tsx'
import { DiffTools } from '../reply/block-detail.tsx'
import { page } from '../store.ts'
import { VirtualList } from '../virtual-list.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import {
  at,
  type TimelineEntry,
  entries,
  loadTimeline,
  selectEntry,
  marked,
  markedNumbers,
  markEntry,
  shows,
  timeline,
  wanted,
  possibleTurn,
} from './timeline.ts'
import { runStep, Turn, runTurn } from './undo-and-steps.tsx'

/** What was executed here, newest first, and what others did in between. */
export function TimelineView() {
  const history = page.value?.history
  useEffect(() => void loadTimeline(), [history])
  const list = entries.value
  if (timeline.value !== null && timeline.value.entries.length === 0) {
    return (
      <section class="intake">
        <h2>Nothing was executed here yet</h2>
        <p class="lead">Every execution appears here with its changes, and can be undone.</p>
      </section>
    )
  }
  return (
    <div class={`panes ${shows.value ? 'shows-detail' : ''}`}>
      <section class="side" aria-label="Executions">
        <header class="side-head">
          <div class="about">
            <strong>{formatCount(timeline.value?.entries.length ?? 0, 'execution')}</strong>
          </div>
          <Button act={() => runTurn('undo')} keys="u" hint="Undo the last execution">
            Undo
          </Button>
          <Button act={() => runTurn('redo')} keys="r" hint="Redo what was undone last">
            Redo
          </Button>
          <Button act={() => runStep('back')} keys="b" hint="Check out the previous commit">
            Back
          </Button>
          <Button act={() => runStep('forward')} keys="f" hint="One commit towards where Back started">
            Forward
          </Button>
        </header>
        <div class="side-head">
          <Search id="search-entries" label="Search executions and files" value={wanted} />
          {ways
            .filter(([way]) => markedNumbers[way].value.length > 0)
            .map(([way, label]) => (
              <Button
                key={way}
                act={() => runTurn(way, { numbers: markedNumbers[way].value })}
                disabled={page.value?.running !== null}
                hint="All of them, or none"
              >
                {label} {markedNumbers[way].value.length} marked
              </Button>
            ))}
        </div>
        <Turn />
        <VirtualList
          id="entries"
          label="Executions"
          count={list.length}
          rowHeight={rowHeight}
          current={at.value}
          multiselectable
          row={(index) => {
            const entry = list[index]
            return entry && <Row key={entry.name} entry={entry} index={index} total={list.length} />
          }}
        />
      </section>
      <Details entry={list[at.value]} />
    </div>
  )
}

const ways = [
  ['undo', 'Undo'],
  ['redo', 'Redo'],
] as const

const rowHeight = 52

function Row({ entry, index, total }: { entry: TimelineEntry; index: number; total: number }) {
  const current = at.value === index
  const isMarked = entry.kind === 'execution' && marked.value.has(entry.number)
  return (
    <div
      id={`entries-${index}`}
      class={`block ${current ? 'current' : ''} ${entry.kind}`}
      role="option"
      aria-selected={isMarked}
      aria-current={current}
      aria-posinset={index + 1}
      aria-setsize={total}
      style={{ height: `${rowHeight}px` }}
      onClick={() => selectEntry(index)}
    >
      <span
        class={`box ${isMarked ? 'on' : ''} ${possibleTurn(entry) === undefined ? 'off' : ''}`}
        onClick={(event) => {
          event.stopPropagation()
          markEntry(entry)
        }}
      />
      <span class="number mono">{entry.kind === 'execution' ? entry.entry.number : ''}</span>
      <span class="what">
        <span class="line">
          {entry.kind === 'execution' ? (
            <bdi class={entry.entry.undone ? 'undone' : ''}>{spellOut(entry.entry.summary)}</bdi>
          ) : entry.kind === 'whole' ? (
            <b>
              <bdi>{spellOut(entry.title)}</bdi>
            </b>
          ) : (
            <i>{entry.kind === 'since' ? 'Changed by you since' : 'Changed by you in between'}</i>
          )}
        </span>
        <span class="line quiet">
          {entry.kind === 'execution'
            ? notes(entry.entry)
            : spellOut(entry.kind === 'whole' ? entry.notes : entry.paths.join(', '))}
        </span>
      </span>
    </div>
  )
}

function notes({ time, failed, leftOut, undone, interrupted, paths, commit, kind }: ExecutionView['entry']): string {
  const date = new Date(time)
  return [
    Number.isNaN(date.getTime()) ? time : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
    ...(kind === 'run' ? [formatCount(paths.length, 'file')] : []),
    ...(undone ? ['undone'] : []),
    ...(interrupted ? ['interrupted'] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(leftOut === undefined ? [] : [`${leftOut} left out`]),
    ...(commit === undefined ? [] : [commit.slice(0, 8)]),
  ].join(' · ')
}

function Details({ entry }: { entry: TimelineEntry | undefined }) {
  const found = useSignal<ExecutionView | readonly FileChange[] | undefined>(undefined)
  const name = entry?.name
  const history = page.value?.history
  useEffect(() => {
    if (entry === undefined) return
    found.value = undefined
    const path = entrySource(entry)
    void showErrors(async () => {
      const value = await get<ExecutionView | FileChange[]>(path)
      if (entries.value[at.value]?.name === name) found.value = value
    })
  }, [name, history])
  const value = found.value
  return (
    <section class="detail">
      <header class="detail-head">
        <span class="back">
          <Button quiet act={() => (shows.value = false)}>
            ‹ History
          </Button>
        </span>
        <div class="title">
          <h2>
            <bdi>{entry && spellOut(entryTitle(entry))}</bdi>
          </h2>
          {entry?.kind === 'execution' && (
            <p class="line quiet">
              Execution {entry.number} · {notes(entry.entry)}
            </p>
          )}
        </div>
        <div class="row tools" role="toolbar" aria-label="What is shown, and what is done with it">
          <DiffTools />
          <span class="gap" />
          {ways
            .filter(([way]) => entry?.kind === 'execution' && possibleTurn(entry) === way)
            .map(([way, label]) => (
              <Button
                key={way}
                act={() => entry?.kind === 'execution' && runTurn(way, { number: entry.number })}
                disabled={page.value?.running !== null}
              >
                {label} this
              </Button>
            ))}
          {entry?.kind === 'whole' && entry.numbers.length > 0 && (
            <Button act={() => runTurn('undo', { numbers: entry.numbers })} disabled={page.value?.running !== null}>
              Undo all of it
            </Button>
          )}
        </div>
      </header>
      <div class="detail-body scroller" id="detail" tabIndex={0} role="region" aria-label="What it changed">
        {value !== undefined && 'entry' in value ? (
          <>
            {entry?.kind === 'execution' && <Actions of={value} />}
            <Diffs changes={entry?.kind === 'between' ? value.meanwhile : value.changes} />
          </>
        ) : (
          value !== undefined && <Diffs changes={value} />
        )}
      </div>
    </section>
  )
}

function entryTitle(entry: TimelineEntry): string {
  if (entry.kind === 'execution') return entry.entry.summary
  if (entry.kind === 'whole') return entry.title
  return entry.kind === 'since' ? 'What you changed since' : `What you changed before execution ${entry.number}`
}

function entrySource(entry: TimelineEntry): string {
  if (entry.kind === 'since') return '/api/since'
  if (entry.kind === 'whole') return `/api/conversation?id=${encodeURIComponent(entry.id)}`
  return `/api/execution?number=${entry.number}`
}

const sayState = { done: 'Done', undone: 'Undone', failed: 'Failed', left: 'Left out' } as const

function Actions({ of: { entry, actions } }: { of: ExecutionView }) {
  if (actions.length === 0) return null
  const canTurnOne = entry.kind === 'run' && !entry.undone && actions.length > 1
  return (
    <ul class="actions">
      {actions.slice(0, 200).map(({ seq, action, target, success, left, undone, error }) => {
        const state = success ? (undone ? 'undone' : 'done') : left ? 'left' : 'failed'
        return (
          <li key={seq} class="line">
            <StateIcon mark={state === 'undone' ? 'left' : state} />
            {target === '' ? <b>{spellOut(action)}</b> : <Name named="mono named" of={target} />}
            <span class={`state-${state} nowrap`}>{left ? 'Left out by you' : sayState[state]}</span>
            <span class="quiet">
              {error !== undefined && !left ? spellOut(error) : target === '' ? '' : spellOut(action)}
            </span>
            {canTurnOne && success && (
              <Button
                act={() => runTurn(undone ? 'redo' : 'undo', { number: entry.number, action: seq })}
                disabled={page.value?.running !== null}
              >
                {undone ? 'Redo' : 'Undo'}
                <span class="unseen"> only action {seq}</span>
              </Button>
            )}
          </li>
        )
      })}
      {actions.length > 200 && <li class="quiet">and {actions.length - 200} more</li>}
    </ul>
  )
}
