/** Where a change begins, in pixels from the top of its diff. */
export interface Beginning {
  readonly height: number
  /** The hunk that begins there. */
  readonly hunk: string | undefined
}

/** Diffs that are on the page. */
const shownDiffs = new Map<HTMLElement, () => readonly Beginning[]>()

/** Gives back how to take it off the list. */
export function register(element: HTMLElement, changes: () => readonly Beginning[]): () => void {
  shownDiffs.set(element, changes)
  return () => shownDiffs.delete(element)
}

/** Scrolls to the change after, or before, the one at the top. A file that is not drawn yet is one change. */
export function jump(way: 'next' | 'before'): void {
  const scroller = document.querySelector('#detail.scroller')
  if (!(scroller instanceof HTMLElement)) return
  const topOf = topIn(scroller)
  const drawn = [...shownDiffs].flatMap(([element, changes]) => {
    const top = topOf(element)
    return changes().map(({ height }) => Math.max(0, top + height - above))
  })
  const others = [...scroller.querySelectorAll('.diff.waiting')].map(topOf)
  const sorted = [...drawn, ...others].sort((a, b) => a - b)
  const here = scroller.scrollTop
  const to =
    way === 'next' ? sorted.find((height) => height > here + 1) : sorted.findLast((height) => height < here - 1)
  if (to !== undefined) scroller.scrollTop = to
}

/** Scrolls so that a hunk can be seen. */
export function showHunk(hunk: string): void {
  const scroller = document.querySelector('#detail.scroller')
  if (!(scroller instanceof HTMLElement)) return
  const topOf = topIn(scroller)
  for (const [element, changes] of shownDiffs) {
    const found = changes().find((change) => change.hunk === hunk)
    if (found === undefined) continue
    const top = topOf(element) + found.height
    const isInSight = top > scroller.scrollTop + above / 2 && top < scroller.scrollTop + scroller.clientHeight - above
    if (!isInSight) scroller.scrollTop = top - above
  }
}

function topIn(scroller: HTMLElement): (element: Element) => number {
  const origin = scroller.getBoundingClientRect().top - scroller.scrollTop
  return (element) => element.getBoundingClientRect().top - origin
}

/** What stays in sight above a change: the name of the file, and a few lines. */
const above = 96
