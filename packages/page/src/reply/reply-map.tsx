import { computed } from '@preact/signals'
import { lookAtBlock } from '../actions.ts'
import { StateIcon } from '../icons.tsx'
import { plan, blockMark } from '../store.ts'
import { VirtualList } from '../virtual-list.tsx'
import { BlockName } from '../parts.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { labelOf } from '../labels.ts'
import type { PlanBlock } from '../../../clada/src/ui/protocol.ts'
import { makeMap, type MapRow } from './map-rows.ts'

const rowHeight = 34
const laneWidth = 14
/** More lines side by side cannot be distinguished. */
const mostLanes = 10

const rows = computed(() => makeMap(plan.value?.blocks ?? []))
const width = computed(() => {
  const most = rows.value.reduce((all, { lanes }) => Math.max(all, (lanes.at(-1)?.lane ?? -1) + 1), 0)
  return Math.min(most, mostLanes) * laneWidth
})

/** The blocks in their order, with what holds them together: groups, and files that several of them change. */
export function ReplyMap() {
  const blocks = plan.value?.blocks ?? []
  return (
    <div class="detail-body map" id="detail" tabIndex={-1}>
      <p class="quiet pad">
        In the order they are applied. A line joins blocks that change the same file: the later one builds on the
        earlier. A bar on the left holds a group together.
      </p>
      <VirtualList
        id="map"
        role="list"
        label="Blocks in order"
        count={blocks.length}
        rowHeight={rowHeight}
        current={-1}
        row={(index) => {
          const [block, row] = [blocks[index], rows.value[index]]
          return block && row && <Row key={block.key} block={block} row={row} />
        }}
      />
    </div>
  )
}

function Row({ block, row }: { block: PlanBlock; row: MapRow }) {
  const { key, action, syntax, group } = block
  const state = blockMark(block)
  const beside = (offset: number): boolean => plan.value?.blocks[key + offset]?.group?.line === group?.line
  const bar = group === undefined ? '' : `grouped ${beside(-1) ? '' : 'first'} ${beside(1) ? '' : 'last'}`
  return (
    <div role="listitem" class={`map-row ${bar}`} style={{ height: `${rowHeight}px` }}>
      <span class="number mono">{key + 1}</span>
      <Lanes row={row} />
      <button type="button" class="leaf" onClick={() => lookAtBlock(key)}>
        <StateIcon mark={state} />
        <span class="unseen">{labelOf(state)}:</span>
        <BlockName of={block} />
        <span class="quiet action">{spellOut(action === '' ? syntax : action)}</span>
      </button>
      <span class="quiet nowrap by">
        {group?.atomic && 'all or nothing'}
        {row.after.slice(0, 2).map(({ key: before, path }) => (
          <button key={before} type="button" class="chip" title={spellOut(path)} onClick={() => lookAtBlock(before)}>
            after {before + 1}
          </button>
        ))}
        {row.after.length > 2 && ` and ${row.after.length - 2}`}
      </span>
    </div>
  )
}

function Lanes({ row: { lanes } }: { row: MapRow }) {
  const middle = rowHeight / 2
  return (
    <svg class="lanes" width={width.value} height={rowHeight} aria-hidden="true">
      {lanes
        .filter(({ lane }) => lane < mostLanes)
        .map(({ lane, from, to, on }) => {
          const x = lane * laneWidth + laneWidth / 2
          return (
            <g key={lane} class={`lane lane-${lane % 5}`}>
              <line x1={x} x2={x} y1={from ? 0 : middle} y2={to ? rowHeight : middle} />
              {on && <circle cx={x} cy={middle} r="4" />}
            </g>
          )
        })}
    </svg>
  )
}
