import { effect } from '@preact/signals'
import { promptOpen } from './prompt/prompt.ts'
import { detailOpen, type PageView, view } from './store.ts'
import { shows } from './timeline/timeline.ts'

/** What the browser's back button goes through: the views, and on a narrow screen the details that cover their lists. */
interface ViewPlace {
  readonly view: PageView
  readonly covers: boolean
}

const details = { reply: detailOpen, timeline: shows, prompt: promptOpen }

const placeNow = (): ViewPlace => ({
  view: view.value,
  covers: details[view.value].value && matchMedia('(max-width: 760px)').matches,
})

const isSame = (one: ViewPlace, other: ViewPlace): boolean => one.view === other.view && one.covers === other.covers

export function followBackButton(): void {
  let at = placeNow()
  /** A detail was closed by the page itself, and the browser goes back to its list. */
  let isReturning = false
  history.replaceState(at, '')
  const follow = (): void => {
    const now = placeNow()
    if (isReturning || isSame(now, at)) return
    if (at.covers && now.view === at.view) {
      isReturning = true
      history.back()
      return
    }
    at = now
    history.pushState(now, '')
  }
  effect(follow)
  addEventListener('popstate', ({ state }) => {
    at = viewPlaceIn(state)
    const isOwn = isReturning
    isReturning = false
    if (isOwn) return follow()
    details[at.view].value = at.covers
    view.value = at.view
  })
}

function viewPlaceIn(state: unknown): ViewPlace {
  const { view: name, covers } = Object(state)
  return { view: name === 'timeline' || name === 'prompt' ? name : 'reply', covers: covers === true }
}
