import { defineLanguageFacet, Language, syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension, Prec, StateEffect } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { minimalSetup } from 'codemirror'
import { findGrammar } from '../diff/colours.ts'

/** A text in place, with line numbers, colours, and the lines that differ from the file. Loaded when it is first opened. */
export interface CodeEditor {
  text(): string
  /** Puts another text in its place, which Ctrl+Z takes back. */
  replace(text: string): void
  close(): void
}

export interface EditorRequest {
  readonly parent: HTMLElement
  readonly label: string
  /** Its language is known by this. */
  readonly path: string
  readonly text: string
  /** What it is compared with. */
  readonly original: string | undefined
  /** Where to begin. */
  readonly at: number
  readonly typed: (text: string) => void
  readonly keep: () => unknown
  readonly close: () => unknown
}

export function openEditor(request: EditorRequest): CodeEditor {
  const { parent, label, path, text, original, at, typed, keep, close } = request
  const own: Extension[] = [
    EditorView.cspNonce.of(document.querySelector<HTMLLinkElement>('link[nonce]')?.nonce ?? ''),
    EditorView.contentAttributes.of({ id: 'edit-text', 'aria-label': label, spellcheck: 'false' }),
    Prec.highest(
      keymap.of([
        { key: 'Mod-Enter', run: () => (keep(), true) },
        { key: 'Escape', run: () => (close(), true) },
      ]),
    ),
    syntaxHighlighting(classHighlighter),
    minimalSetup,
    lineNumbers(),
    EditorView.lineWrapping,
    EditorState.tabSize.of(4),
    EditorView.updateListener.of(({ docChanged, state }) => void (docChanged && typed(state.doc.toString()))),
    original === undefined ? [] : unifiedMergeView({ original, mergeControls: false }),
  ]
  const view = new EditorView({ parent, doc: text, extensions: own })
  const start = Math.min(at, view.state.doc.length)
  view.dispatch({ selection: { anchor: start }, effects: EditorView.scrollIntoView(start, { y: 'center' }) })
  view.focus()
  void languageExtension(path).then(
    (language) => language !== undefined && view.dispatch({ effects: StateEffect.appendConfig.of(language) }),
    // Without colours it can be edited as well.
    () => undefined,
  )
  return {
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    close: () => view.destroy(),
  }
}

async function languageExtension(path: string): Promise<Extension | undefined> {
  const parser = await findGrammar(path)?.()
  return parser && new Language(defineLanguageFacet(), parser).extension
}
