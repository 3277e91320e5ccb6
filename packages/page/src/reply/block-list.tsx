import { lookAtBlock, mark } from '../actions.ts'
import { StateIcon } from '../icons.tsx'
import { BlockName, Counts, Name } from '../parts.tsx'
import { filter, type Filter, groupSizes, looked, marked, findOutcome, plan, shownBlocks, blockMark } from '../store.ts'
import { VirtualList } from '../virtual-list.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { labelOf } from '../labels.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import type { PlanBlock, TouchedFile } from '../../../clada/src/ui/protocol.ts'

export const rowHeight = 52

export function BlockList() {
  const blocks = shownBlocks.value
  const at = looked.value
  const current = at.at === 'block' ? blocks.findIndex(({ key }) => key === at.key) : -1
  return (
    <>
      <Filters />
      <VirtualList
        id="blocks"
        label="Blocks"
        count={blocks.length}
        rowHeight={rowHeight}
        current={current}
        multiselectable
        row={(index) => {
          const block = blocks[index]
          return (
            block && (
              <Row key={block.key} block={block} index={index} total={blocks.length} isCurrent={index === current} />
            )
          )
        }}
      />
    </>
  )
}

const filters: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['checking', 'Checking'],
  ['ready', 'Ready'],
  ['attention', 'Need attention'],
  ['skipped', 'Skipped'],
  ['left', 'Left out'],
  ['done', 'Done'],
  ['failed', 'Failed'],
]

function Filters() {
  return (
    <div class="filters" role="group" aria-label="Which blocks are shown">
      {filters
        .filter(([name]) => name === 'all' || name === filter.value || groupSizes.value[name] > 0)
        .map(([name, label]) => (
          <button
            key={name}
            type="button"
            class={`chip group-${name}`}
            aria-pressed={filter.value === name}
            onClick={() => (filter.value = name)}
          >
            {label} <span class="count">{groupSizes.value[name]}</span>
          </button>
        ))}
    </div>
  )
}

interface RowProps {
  readonly block: PlanBlock
  readonly index: number
  readonly total: number
  /** Given, not looked up: a key then draws two rows anew and not all. */
  readonly isCurrent: boolean
}

function Row({ block, index, total, isCurrent }: RowProps) {
  const { key, task, action, group, why, files, decided, warnings, proposed, isProgram } = block
  const outcome = findOutcome(block)
  const state = blockMark(block)
  const isMarked = task !== undefined && marked.value.has(task)
  const canMark = task !== undefined && outcome === undefined && block.state !== 'broken'
  // While it runs, what was foreseen of it is no news; that a command needs an answer, its state says.
  const isSaid = state === 'running' || state === 'waiting' || (state === 'approval' && isProgram)
  const reason = outcome !== undefined ? outcome.why : isSaid ? undefined : why
  return (
    <div
      id={`blocks-${index}`}
      class={`block ${isCurrent ? 'current' : ''} ${groupPlace(block)}`}
      role="option"
      aria-selected={isMarked}
      aria-current={isCurrent}
      aria-posinset={index + 1}
      aria-setsize={total}
      style={{ height: `${rowHeight}px` }}
      onClick={() => lookAtBlock(key)}
    >
      <span
        class={`box ${isMarked ? 'on' : ''} ${canMark ? '' : 'off'}`}
        onClick={(event) => {
          event.stopPropagation()
          if (canMark) mark(block)
        }}
      />
      <StateIcon mark={state} />
      <span class="what">
        <span class="line">
          <BlockName of={block} />
        </span>
        <span class="line quiet">
          <span class={`state-${state}`}>{labelOf(state)}</span>
          {decided !== undefined && state !== 'left' && <span>, {decided}</span>}
          {group?.atomic && <span>, all or nothing</span>}
          {reason !== undefined && <Name of={`: ${reason}`} />}
          {reason === undefined && warnings > 0 && state !== 'done' && <span>, {formatCount(warnings, 'note')}</span>}
          {action !== '' && <span class="action"> · {proposed ? 'proposal' : spellOut(action)}</span>}
        </span>
      </span>
      <Counts of={sum(files)} />
    </div>
  )
}

/** The position of a block in its group, for the line that connects them. */
function groupPlace({ key, group }: PlanBlock): string {
  if (group === undefined) return ''
  const blocks = plan.value?.blocks ?? []
  const first = blocks[key - 1]?.group?.line !== group.line
  const last = blocks[key + 1]?.group?.line !== group.line
  return `grouped ${first ? 'first' : ''} ${last ? 'last' : ''}`
}

const sum = (files: readonly TouchedFile[]): TouchedFile => ({
  path: '',
  change: 'modify',
  added: files.reduce((all, { added }) => all + added, 0),
  removed: files.reduce((all, { removed }) => all + removed, 0),
})
