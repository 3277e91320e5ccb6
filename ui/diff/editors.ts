import { syntaxHighlighting } from '@codemirror/language'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import type { FileChange } from '../../src/core/result.ts'
import { languageFor } from './languages.ts'

/** The diff of one file as editors that nobody can type in. Gives back how to take it away. */
export function showDiff(parent: HTMLElement, change: FileChange, mode: 'split' | 'unified'): () => void {
  const { path, before, after } = change
  const language = new Compartment()
  const common = (label: string): Extension[] => [
    lineNumbers(),
    drawSelection(),
    highlightSpecialChars({ addSpecialChars: hidden }),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.lineWrapping,
    EditorView.cspNonce.of(nonce()),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
    syntaxHighlighting(classHighlighter),
    language.of([]),
  ]
  const collapseUnchanged = { margin: 3, minSize: 5 }
  const views: EditorView[] = []
  let destroy = (): void => {
    for (const view of views) view.destroy()
  }
  if (before === null || after === null) {
    const label = `${path}, ${before === null ? 'new' : 'deleted'}`
    views.push(new EditorView({ parent, doc: before ?? after ?? '', extensions: common(label) }))
  } else if (mode === 'unified') {
    const unified = unifiedMergeView({ original: before, mergeControls: false, diffConfig, collapseUnchanged })
    views.push(new EditorView({ parent, doc: after, extensions: [common(`${path}, changes`), unified] }))
  } else {
    const merge = new MergeView({
      parent,
      a: { doc: before, extensions: common(`${path}, before`) },
      b: { doc: after, extensions: common(`${path}, after`) },
      diffConfig,
      collapseUnchanged,
    })
    views.push(merge.a, merge.b)
    destroy = () => merge.destroy()
  }
  let gone = false
  void languageFor(path)?.().then((support) => {
    if (gone) return
    for (const view of views) view.dispatch({ effects: language.reconfigure(support) })
  })
  return () => {
    gone = true
    destroy()
  }
}

/** Where two versions have little in common, an exact answer is worth less than a quick one. */
const diffConfig = { scanLimit: 500, timeout: 60 }

/** Beyond what the editor shows by itself. */
const hidden = /[\u200c\u200d\u2060-\u2064\u202a-\u202c\u2068\u{e0000}-\u{e007f}]/gu

/** Allows the editor's style sheets. */
const nonce = (): string => document.querySelector('script')?.nonce ?? ''
