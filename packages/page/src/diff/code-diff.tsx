import type { Tree } from '@lezer/common'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FileChange } from '../../../clada/src/core/result.ts'
import type { ReviewHunk } from '../../../clada/src/core/review.ts'
import { ignoresSpace } from '../store.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { CodeLine } from './code-line.tsx'
import { listColours, parseTree } from './colours.ts'
import { type Beginning, register } from './jump-to-change.ts'
import {
  compareTexts,
  findDifference,
  countScreenLines,
  lineEndOf,
  longestLine,
  type OpenedFolds,
  type DiffRow,
  makeRows,
} from './rows.ts'

const lineHeight = 20

interface Props {
  readonly change: FileChange
  readonly mode: 'split' | 'unified'
  /** Hunks that can be taken or left out. */
  readonly choosing?: Choosing | undefined
  /** `whole`: also lines of any length. */
  readonly lines?: 'cut' | 'whole'
  /** Where the texts begin in their files, if they are parts; lines count from 0. */
  readonly start?: { readonly left: number; readonly right: number }
}

export interface Choosing {
  readonly hunks: readonly ReviewHunk[]
  /** The line above a hunk. */
  readonly head: (hunk: ReviewHunk, number: number) => ComponentChildren
}

const noHunks: readonly ReviewHunk[] = []
const wholeFile = { left: 0, right: 0 }

/**
 * The difference between two texts. Only the rows in sight exist: characters are all of one width and lines break after
 * white space, so the height of every row is known without drawing it.
 */
export function CodeDiff({ change, mode, choosing, lines = 'cut', start = wholeFile }: Props) {
  const longest = lines === 'whole' ? Infinity : longestLine
  const { path, before, after } = change
  const space = ignoresSpace.value ? 'ignored' : 'counts'
  const box = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState<OpenedFolds>(new Map())
  const comparison = useMemo(() => compareTexts(before, after, space), [before, after, space])
  const lineEnd = useMemo(() => lineEndOf(comparison), [comparison])
  const whole = before === null || after === null
  const shape = whole ? 'unified' : mode
  const hunks = choosing?.hunks ?? noHunks
  const rows = useMemo(() => makeRows(comparison, shape, opened, hunks), [comparison, shape, opened, hunks])
  const open = (at: number, how: { above: number; below: number }): void => {
    const { above, below } = opened.get(at) ?? { above: 0, below: 0 }
    setOpened(new Map(opened).set(at, { above: above + how.above, below: below + how.below }))
  }
  const digits = String(Math.max(start.left + comparison.left.length, start.right + comparison.right.length)).length
  const columns = useColumns(box, shape, digits)
  const tops = useMemo(() => topsOf(rows, comparison, { columns, longest }), [rows, comparison, columns, longest])
  const sight = useSight(box)
  useLayoutEffect(() => {
    const isChange = (index: number): boolean => rows[index]?.kind === 'change' || rows[index]?.kind === 'hunk'
    const begins = (index: number): boolean => rows[index]?.kind === 'hunk' || (isChange(index) && !isChange(index - 1))
    const changes = (): Beginning[] =>
      rows.flatMap((row, index) =>
        begins(index) ? [{ height: (tops[index] ?? 0) * lineHeight, hunk: row.hunk?.id }] : [],
      )
    return box.current === null ? undefined : register(box.current, changes)
  }, [rows, tops])
  const left = useSide(path, before ?? '')
  const right = useSide(path, after ?? '')

  const first = Math.max(0, rowAt(tops, sight.top / lineHeight) - 1)
  const last = Math.min(rows.length, rowAt(tops, sight.bottom / lineHeight) + 2)
  const side = (
    texts: readonly string[],
    { tree, starts }: HighlightedSide,
    index: number,
    beside: string | undefined,
  ) => {
    const text = texts[index] ?? ''
    const from = starts[index] ?? 0
    const strong = beside === undefined ? undefined : findDifference(text, beside)
    return <CodeLine {...{ text, lineEnd, strong, longest }} colours={listColours(tree, from, from + text.length)} />
  }
  const cell = (row: DiffRow, own: 'left' | 'right') => {
    const index = row[own]
    const changed = row.kind === 'change'
    if (index === null) return <div class={`cell ${own} ${changed ? 'none' : ''}`} />
    const other = own === 'left' ? row.right : row.left
    const besideLine = changed ? (other ?? row.beside) : undefined
    const { left: lefts, right: rights } = comparison
    const beside = besideLine === undefined ? undefined : (own === 'left' ? rights : lefts)[besideLine]
    const tone = changed ? (own === 'left' ? 'removed' : 'added') : ''
    return (
      <div class={`cell ${own} ${tone}`}>
        <span class="num">{start[own] + index + 1}</span>
        <span class="sign">{changed ? (own === 'left' ? '−' : '+') : ' '}</span>
        <code>{side(own === 'left' ? lefts : rights, own === 'left' ? left : right, index, beside)}</code>
      </div>
    )
  }
  return (
    <div
      ref={box}
      class={`code-diff ${shape}`}
      role="group"
      aria-label={`Changes in ${path}`}
      style={{ height: `${(tops.at(-1) ?? 0) * lineHeight}px`, '--digits': digits }}
      onMouseDown={(event) => {
        // Selecting on one side leaves the other alone.
        const on = event.target instanceof Element ? event.target.closest('.cell') : null
        event.currentTarget.dataset['selecting'] = on?.classList.contains('left') ? 'left' : 'right'
      }}
    >
      <div class="rows" style={{ transform: `translateY(${(tops[first] ?? 0) * lineHeight}px)` }}>
        {rows.slice(first, last).map((row, offset) => {
          if (row.kind === 'fold')
            return <Fold key={`fold-${row.left}`} count={row.count ?? 0} open={(how) => open(row.left ?? 0, how)} />
          if (row.kind === 'hunk' && row.hunk !== undefined)
            return (
              <div key={`hunk-${row.hunk.id}`} class="hunk-head">
                {choosing?.head(row.hunk, hunks.indexOf(row.hunk) + 1)}
              </div>
            )
          return (
            <div
              key={first + offset}
              class={`code-row ${row.hunk?.taken === false ? 'left-out' : ''}`}
              style={{ minHeight: `${heightAt(tops, first + offset) * lineHeight}px` }}
            >
              {(shape === 'split' || row.right === null) && cell(row, 'left')}
              {(shape === 'split' || row.right !== null) && cell(row, 'right')}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Unchanged lines; a few of them at a time, or all. */
function Fold({ count, open }: { count: number; open: (how: { above: number; below: number }) => void }) {
  return (
    <div class="fold">
      <button type="button" onClick={() => open({ above: Infinity, below: 0 })}>
        {formatCount(count, 'unchanged line')}
      </button>
      {count > fewLines && (
        <>
          <button type="button" onClick={() => open({ above: fewLines, below: 0 })}>
            <span aria-hidden="true">↓</span> {fewLines} <span class="unseen">more lines below the change above</span>
          </button>
          <button type="button" onClick={() => open({ above: 0, below: fewLines })}>
            <span aria-hidden="true">↑</span> {fewLines} <span class="unseen">more lines above the change below</span>
          </button>
        </>
      )}
    </div>
  )
}

const fewLines = 20

interface HighlightedSide {
  readonly tree: Tree | undefined
  /** Where in the text each line begins. */
  readonly starts: readonly number[]
}

function useSide(path: string, text: string): HighlightedSide {
  const [tree, setTree] = useState<Tree>()
  useEffect(() => {
    const gone = new AbortController()
    setTree(undefined)
    void parseTree(path, text, gone.signal).then((found) => {
      if (!gone.signal.aborted) setTree(found)
    })
    return () => gone.abort()
  }, [path, text])
  const starts = useMemo(() => {
    const found = [0]
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) found.push(at + 1)
    return found
  }, [text])
  return { tree, starts }
}

/** Heads of hunks and folds hold buttons, which must be large enough for a finger. */
const headLines = 1.6

interface TextSize {
  readonly columns: number
  readonly longest: number
}

/** In screen lines from the top; the last is the whole height. */
function topsOf(rows: readonly DiffRow[], { left, right }: ReturnType<typeof compareTexts>, shape: TextSize): number[] {
  const tops = [0]
  let top = 0
  for (const row of rows) {
    if (row.kind === 'fold' || row.kind === 'hunk') top += headLines
    else {
      const [old, now] = [left[row.left ?? -1], right[row.right ?? -1]]
      top += Math.max(heightIn(old, shape), heightIn(now, shape))
    }
    tops.push(top)
  }
  return tops
}

const heightIn = (line: string | undefined, { columns, longest }: TextSize): number =>
  line === undefined ? 1 : countScreenLines(line, columns, longest)

const heightAt = (tops: readonly number[], row: number): number => (tops[row + 1] ?? 0) - (tops[row] ?? 0)

/** The row that begins at or before a height. */
function rowAt(tops: readonly number[], height: number): number {
  let low = 0
  let high = tops.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= height) low = middle
    else high = middle - 1
  }
  return low
}

/** How many characters fit on one side. */
function useColumns(box: { current: HTMLDivElement | null }, shape: string, digits: number): number {
  const [columns, setColumns] = useState(80)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = (): void => {
      const character = characterIn(element)
      const side = element.clientWidth / (shape === 'split' ? 2 : 1)
      // As the style sheet has it: the number, the sign, and a little air.
      setColumns(Math.max(10, Math.floor((side - (digits * character + 20) - 20 - 10) / character)))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [shape, digits])
  return columns
}

/** How wide a character is, by how large the page is shown: finding out costs a layout. */
const widths = new Map<string, number>()

function characterIn(element: HTMLElement): number {
  const name = `${devicePixelRatio} ${innerWidth >= 2200}`
  const known = widths.get(name)
  if (known !== undefined) return known
  const probe = document.createElement('code')
  probe.textContent = '0'.repeat(100)
  probe.className = 'probe'
  element.append(probe)
  const width = probe.getBoundingClientRect().width / 100
  probe.remove()
  if (width > 0) widths.set(name, width)
  return width
}

/** The part of the diff that can be seen, in pixels from its top, with some more on both ends. */
function useSight(box: { current: HTMLDivElement | null }): { top: number; bottom: number } {
  const [sight, setSight] = useState({ top: 0, bottom: 1600 })
  useLayoutEffect(() => {
    const element = box.current
    const scroller = element?.closest('.scroller')
    if (element === null || !(scroller instanceof HTMLElement)) return undefined
    const look = (): void => {
      const above = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top
      // In steps, so that not every pixel draws anew.
      const top = Math.floor((above - step / 2) / step) * step
      const bottom = top + Math.ceil((scroller.clientHeight + 2 * step) / step) * step
      setSight((before) => (before.top === top && before.bottom === bottom ? before : { top, bottom }))
    }
    const observer = new ResizeObserver(look)
    observer.observe(scroller)
    observer.observe(element)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [])
  return sight
}

const step = 400
