import {
  startAnotherReply,
  applyMarked,
  applyOne,
  copyReport,
  focusOpenDetail,
  focusOn,
  isRunning,
  lookAtWhole,
  currentBlock,
  mark,
  markAll,
  move,
  refresh,
  stopRun,
  toggleDiff,
  toggleSpace,
} from './actions.ts'
import {
  at as fileAt,
  copyPrompt,
  moveFile,
  toggleFolder,
  promptOpen,
  shownRows,
  toggle,
  type TreeRow,
} from './prompt/prompt.ts'
import { decideAt, editBlock, editReply, moveHunk, toggleBlock } from './reply/choices.ts'
import { detailOpen, helpOpen, plan, singleKeys, type PageView, view } from './store.ts'
import { nextTheme } from './theme.ts'
import { selectEntry, at as entryAt, entries, markEntry, moveEntry, shows } from './timeline/timeline.ts'
import { runStep, runTurn, undoLast } from './timeline/undo-and-steps.tsx'

export interface Shortcut {
  /** As `KeyboardEvent.key` says it; several do the same. */
  readonly keys: readonly string[]
  readonly what: string
  readonly in: PageView | 'everywhere'
  readonly run: () => unknown
}

/** Every key. The help and the listener are made from this. */
export const shortcuts: readonly Shortcut[] = [
  { keys: ['j', 'ArrowDown'], what: 'Next block', in: 'reply', run: () => move(1) },
  { keys: ['k', 'ArrowUp'], what: 'Previous block', in: 'reply', run: () => move(-1) },
  { keys: ['PageDown'], what: 'Ten blocks on', in: 'reply', run: () => move(10) },
  { keys: ['PageUp'], what: 'Ten blocks back', in: 'reply', run: () => move(-10) },
  { keys: ['Home'], what: 'First block', in: 'reply', run: () => move(-Infinity) },
  { keys: ['End'], what: 'Last block', in: 'reply', run: () => move(Infinity) },
  { keys: ['Enter'], what: 'Go to what the block does', in: 'reply', run: () => focusOpenDetail() },
  { keys: ['x', ' '], what: 'Mark the block', in: 'reply', run: () => mark(currentBlock()) },
  { keys: ['X'], what: 'Mark all, or none', in: 'reply', run: () => markAll() },
  { keys: ['a'], what: 'Apply what is marked, or all', in: 'reply', run: () => unlessRunning(applyMarked) },
  { keys: ['n'], what: 'Apply this block and go on', in: 'reply', run: () => unlessRunning(applyOne) },
  { keys: ['l'], what: 'Leave out this change and go on', in: 'reply', run: () => decideAt('leave') },
  { keys: ['y'], what: 'Take this change and go on', in: 'reply', run: () => decideAt('take') },
  { keys: ['L'], what: 'Leave out the block, or take it', in: 'reply', run: () => toggleBlock() },
  { keys: ['e'], what: 'Edit the new text of the block', in: 'reply', run: () => editBlock() },
  { keys: ['E'], what: 'Edit the whole reply', in: 'reply', run: () => unlessRunning(() => plan.value && editReply()) },
  { keys: ['s'], what: 'Stop', in: 'everywhere', run: () => isRunning() && stopRun() },
  { keys: ['c'], what: 'Copy the report for the model', in: 'reply', run: () => plan.value && copyReport() },
  { keys: ['R'], what: 'Check the files again', in: 'reply', run: () => refresh() },
  { keys: ['/'], what: 'Search blocks and files', in: 'reply', run: () => focusOn('search-blocks') },
  { keys: ['f'], what: 'All files in one scroll', in: 'reply', run: () => plan.value && lookAtWhole('files') },
  { keys: ['m'], what: 'Map of the reply', in: 'reply', run: () => plan.value && lookAtWhole('map') },
  { keys: ['p'], what: 'Another reply', in: 'reply', run: () => startAnotherReply() },

  { keys: ['j', 'ArrowDown'], what: 'Next execution', in: 'timeline', run: () => moveEntry(1) },
  { keys: ['k', 'ArrowUp'], what: 'Previous execution', in: 'timeline', run: () => moveEntry(-1) },
  {
    keys: ['Enter'],
    what: 'Go to what it changed',
    in: 'timeline',
    run: () => {
      selectEntry(entryAt.value)
      focusOn('detail')
    },
  },
  { keys: ['x', ' '], what: 'Mark the execution', in: 'timeline', run: () => markEntry(entries.value[entryAt.value]) },
  { keys: ['/'], what: 'Search executions', in: 'timeline', run: () => focusOn('search-entries') },
  { keys: ['u'], what: 'Undo the last execution', in: 'everywhere', run: () => unlessRunning(undoLast) },
  { keys: ['r'], what: 'Redo', in: 'timeline', run: () => unlessRunning(() => runTurn('redo')) },
  { keys: ['b'], what: 'Back one commit', in: 'timeline', run: () => unlessRunning(() => runStep('back')) },
  { keys: ['f'], what: 'Forward one commit', in: 'timeline', run: () => unlessRunning(() => runStep('forward')) },

  { keys: ['j', 'ArrowDown'], what: 'Next file', in: 'prompt', run: () => moveFile(1) },
  { keys: ['k', 'ArrowUp'], what: 'Previous file', in: 'prompt', run: () => moveFile(-1) },
  { keys: ['x', ' '], what: 'Show the file to the model, or not', in: 'prompt', run: () => withFile(toggle) },
  {
    keys: ['Enter'],
    what: 'Open the folder, or the structures of the file',
    in: 'prompt',
    run: () => withFile(toggleFolder),
  },
  { keys: ['i'], what: 'Write the task', in: 'prompt', run: () => focusOn('task') },
  { keys: ['/'], what: 'Search files', in: 'prompt', run: () => focusOn('search-files') },
  { keys: ['c'], what: 'Copy prompt and files', in: 'prompt', run: () => copyPrompt() },

  { keys: ['d'], what: 'Side by side, or unified', in: 'everywhere', run: () => toggleDiff() },
  { keys: ['w'], what: 'Ignore whitespace', in: 'everywhere', run: () => toggleSpace() },
  { keys: [']'], what: 'Next change in the diff', in: 'everywhere', run: () => moveHunk('next') },
  { keys: ['['], what: 'Previous change in the diff', in: 'everywhere', run: () => moveHunk('before') },
  { keys: ['g'], what: 'Go to the question that waits', in: 'everywhere', run: () => focusOn('cards') },
  { keys: ['1'], what: 'Reply', in: 'everywhere', run: () => (view.value = 'reply') },
  { keys: ['2'], what: 'History', in: 'everywhere', run: () => (view.value = 'timeline') },
  { keys: ['3'], what: 'Prompt', in: 'everywhere', run: () => (view.value = 'prompt') },
  { keys: ['t'], what: 'Light, dark, or as the system', in: 'everywhere', run: () => nextTheme() },
  { keys: ['?'], what: 'Keyboard shortcuts', in: 'everywhere', run: () => (helpOpen.value = true) },
  { keys: ['Escape'], what: 'Back to the list', in: 'everywhere', run: () => toList() },
]

const unlessRunning = (work: () => unknown): unknown => isRunning() || work()

function withFile(work: (row: TreeRow) => unknown): unknown {
  const file = shownRows.value[fileAt.value]
  return file === undefined ? undefined : work(file)
}

const lists: Record<PageView, string> = { reply: 'blocks', timeline: 'entries', prompt: 'project-files' }

function toList(): void {
  detailOpen.value = false
  shows.value = false
  promptOpen.value = false
  focusOn(lists[view.value])
}

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const target = event.target instanceof Element ? event.target : document.body
    // In a text field keys are letters; a button that has the focus means its own keys; a dialog has keys of its own.
    if (target.closest('input:not([type=checkbox]), textarea, [contenteditable], select, dialog') !== null) {
      if (event.key === 'Escape' && target instanceof HTMLElement) target.blur()
      return
    }
    const isNamed = event.key.length > 1
    if (!isNamed && !singleKeys.value && event.key !== '?') return
    const ownsKey = target.closest('button, a, summary, input, #cards, .detail-body, pre') !== null
    if (ownsKey && [' ', 'Enter', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'].includes(event.key))
      return
    const found = shortcuts.find(
      ({ keys, in: where }) => keys.includes(event.key) && (where === 'everywhere' || where === view.value),
    )
    if (found === undefined) return
    event.preventDefault()
    found.run()
  })
}
