import { useEffect } from 'preact/hooks'
import { focusOn, openDocument, openFile, refresh } from './actions.ts'
import { Button } from './button.tsx'
import { Cards } from './question-cards.tsx'
import { Help } from './help.tsx'
import { ThemeIcon } from './icons.tsx'
import { PromptView } from './prompt/prompt-view.tsx'
import { Unopened } from './reply/replies.tsx'
import { ReplyView } from './reply/reply-view.tsx'
import { helpOpen, link, notice, page, plan, announcement, type PageView, view } from './store.ts'
import { nextTheme, theme } from './theme.ts'
import { TimelineView } from './timeline/timeline-view.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'

export function App() {
  useEffect(takeFromOutside, [])
  const waiting = page.value?.questions.length ?? 0
  const root = page.value?.root ?? ''
  // There the question has its place beside the list.
  const isReplyOpen = view.value === 'reply' && plan.value !== null && plan.value.blocks.length > 0
  useEffect(() => {
    const name = root.slice(root.lastIndexOf('/') + 1)
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${name === '' ? '' : `${spellOut(name)} – `}clada`
  }, [waiting, root])
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        To the list
      </a>
      <header class="top">
        <h1 class="brand">clada</h1>
        <bdi class="root mono" title={spellOut(root)}>
          {spellOut(root)}
        </bdi>
        <nav aria-label="Views">
          {views.map(([name, label], index) => (
            <button
              key={name}
              type="button"
              class="tab"
              aria-current={view.value === name ? 'page' : undefined}
              aria-keyshortcuts={String(index + 1)}
              onClick={() => (view.value = name)}
            >
              {label}
            </button>
          ))}
        </nav>
        <div class="row end">
          <Button quiet act={nextTheme} name={`Theme: ${theme.value}`} keys="t">
            <ThemeIcon of={theme.value} />
          </Button>
          <Button quiet act={() => (helpOpen.value = true)} name="Keyboard shortcuts" keys="?">
            <span aria-hidden="true">?</span>
          </Button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <LinkState />
        <Notice />
        <Unopened />
        {!isReplyOpen && <Cards />}
        {view.value === 'reply' ? <ReplyView /> : view.value === 'timeline' ? <TimelineView /> : <PromptView />}
      </main>
      <Help />
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </>
  )
}

/** Skips the top, for users of the Tab key. */
function toMain(event: Event): void {
  event.preventDefault()
  focusOn('main')
}

const views: readonly (readonly [PageView, string])[] = [
  ['reply', 'Reply'],
  ['timeline', 'History'],
  ['prompt', 'Prompt'],
]

function LinkState() {
  if (link.value === 'lost') {
    return (
      <p class="banner bad" role="alert">
        <span>
          clada ui is not running any more. Start it again with <code>clada ui</code>, and open the address that it
          prints; this page then goes on.
        </span>
      </p>
    )
  }
  if (link.value === 'locked') {
    return (
      <p class="banner bad" role="alert">
        <span>
          clada ui does not know this tab: it was started again, or the tab was opened by hand. Open the address that{' '}
          <code>clada ui</code> printed, or press Enter there for a new one; this page then goes on.
        </span>
      </p>
    )
  }
  return null
}

function Notice() {
  if (notice.value === null) return null
  const { text, kind } = notice.value
  return (
    <div class={`banner ${kind}`}>
      <span>{spellOut(text)}</span>
      <Button quiet act={() => (notice.value = null)}>
        Dismiss
      </Button>
    </div>
  )
}

/** When the files were last checked because the user came back. */
let refreshed = 0

/** A reply may be pasted or dropped anywhere. */
function takeFromOutside(): () => void {
  const stop = new AbortController()
  const { signal } = stop
  document.addEventListener(
    'paste',
    (event) => {
      const text = event.clipboardData?.getData('text/plain') ?? ''
      const typing = event.target instanceof Element && event.target.closest('input, textarea, dialog') !== null
      if (text !== '' && !typing && !event.defaultPrevented) void openDocument(text, '')
    },
    { signal },
  )
  document.addEventListener('dragover', (event) => event.preventDefault(), { signal })
  document.addEventListener(
    'drop',
    (event) => {
      event.preventDefault()
      const [file] = event.dataTransfer?.files ?? []
      const text = event.dataTransfer?.getData('text/plain') ?? ''
      if (file !== undefined) void openFile(file)
      else if (text !== '') void openDocument(text, '')
    },
    { signal },
  )
  // The files may have changed while the user was in an editor.
  window.addEventListener(
    'focus',
    () => {
      if (plan.value === null || link.value !== 'open' || Date.now() - refreshed < 3000) return
      refreshed = Date.now()
      void refresh()
    },
    { signal },
  )
  return () => stop.abort()
}
