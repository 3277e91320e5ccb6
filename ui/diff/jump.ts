/** Diffs that are on the page, each with the heights at which its changes begin, in pixels from its top. */
const shownDiffs = new Map<HTMLElement, () => readonly number[]>()

/** Gives back how to take it off the list. */
export function register(element: HTMLElement, changes: () => readonly number[]): () => void {
  shownDiffs.set(element, changes)
  return () => shownDiffs.delete(element)
}

/** Scrolls to the change after, or before, the one at the top. A file that is not drawn yet is one change. */
export function jump(way: 'next' | 'before'): void {
  const scroller = document.querySelector('#detail.scroller')
  if (!(scroller instanceof HTMLElement)) return
  const origin = scroller.getBoundingClientRect().top - scroller.scrollTop
  const topOf = (element: Element): number => element.getBoundingClientRect().top - origin
  const drawn = [...shownDiffs].flatMap(([element, changes]) => {
    const top = topOf(element)
    return changes().map((height) => Math.max(0, top + height - above))
  })
  const others = [...scroller.querySelectorAll('.diff.waiting')].map(topOf)
  const sorted = [...drawn, ...others].sort((a, b) => a - b)
  const here = scroller.scrollTop
  const to =
    way === 'next' ? sorted.find((height) => height > here + 1) : sorted.findLast((height) => height < here - 1)
  if (to !== undefined) scroller.scrollTop = to
}

/** What stays in sight above a change: the name of the file, and a few lines. */
const above = 96
