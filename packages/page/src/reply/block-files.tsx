import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ReviewedFile, ReviewHunk } from '../../../clada/src/core/review.ts'
import type { BlockDetail, PlanBlock } from '../../../clada/src/ui/protocol.ts'
import type { ComponentChildren } from 'preact'
import { focusOn } from '../actions.ts'
import { Button } from '../button.tsx'
import { Diff, Sections } from '../diff/diffs.tsx'
import type { CodeEditor } from './code-editor.ts'
import { dropDraft, readDraft, writeDraft } from './drafts.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import {
  canDecideNow,
  type Decided,
  decideHunk,
  draftKeyOf,
  editing,
  hunkAt,
  keepParams,
  keepText,
  stopEditing,
} from './choices.ts'

/** What a block does to files, change by change: each can be taken or left out, and the text edited. */
export function BlockFiles({ block, detail }: { block: PlanBlock; detail: BlockDetail }) {
  const { files, choice } = detail
  return (
    <Sections>
      {(mode) =>
        files.map((file, index) => (
          <BlockFile key={file.path} of={{ block, choice }} file={file} mode={mode} startsOpen={index < 6} />
        ))
      }
    </Sections>
  )
}

interface Props {
  readonly of: Decided
  readonly file: ReviewedFile
  readonly mode: 'split' | 'unified'
  readonly startsOpen?: boolean | undefined
  readonly tools?: ComponentChildren
}

export function BlockFile({ of, file, mode, startsOpen, tools }: Props) {
  const can = canDecideNow(of.block)
  const { path, binary, after, hunks } = file
  const choosing = useMemo(
    () => ({
      hunks,
      head: (hunk: ReviewHunk, number: number) => <HunkHead of={of} hunk={hunk} number={number} total={hunks.length} />,
    }),
    [hunks, of.block, of.choice],
  )
  const draftKey = draftKeyOf(of.block, path)
  const isEditing = editing.value?.what === 'file' && editing.value.path === path && can
  const own = (
    <>
      {file.edited && <span class="tag edited">edited by you</span>}
      {tools}
      {can && !binary && after !== null && !isEditing && (
        <Button
          hint="Edit the new text before it is applied"
          keys="e"
          act={() => {
            editing.value = { what: 'file', path }
            focusOn('edit-text')
          }}
        >
          {readDraft(draftKey) === undefined ? 'Edit' : 'Continue draft'}
          <span class="unseen"> of the new text of {spellOut(path)}</span>
        </Button>
      )}
    </>
  )
  const others = can ? hunks.filter(({ kind }) => kind !== 'lines') : []
  const editor = isEditing && (
    <Editor
      label={`The new text of ${path}`}
      path={path}
      text={after ?? ''}
      original={file.before ?? ''}
      at={linesTo(after ?? '', hunks[0]?.newStart ?? 0)}
      draftKey={draftKey}
      keep={(text) => keepText(of, path, text)}
    />
  )
  // Without a choice there is nothing to see of what was left out.
  const change = can ? file : { ...file, after: file.result }
  return (
    <>
      {others.map((hunk) => (
        <div key={hunk.id} class="hunk-head">
          <span>{hunk.kind === 'move' ? `Move from ${spellOut(file.from ?? '')}` : spellOut(path)}</span>
          <HunkHead of={of} hunk={hunk} number={hunks.indexOf(hunk) + 1} total={hunks.length} />
        </div>
      ))}
      <Diff
        section={{
          // What is left out does not count.
          file: { ...file, after: file.result },
          change,
          tools: own,
          choosing: can ? choosing : undefined,
          instead: editor === false ? undefined : editor,
        }}
        mode={mode}
        startsOpen={startsOpen}
      />
    </>
  )
}

/** Where a line begins. */
function linesTo(text: string, line: number): number {
  let at = 0
  for (let count = 0; count < line; count++) at = text.indexOf('\n', at) + 1
  return at
}

interface HeadProps {
  readonly of: Decided
  readonly hunk: ReviewHunk
  readonly number: number
  readonly total: number
}

function HunkHead({ of, hunk, number, total }: HeadProps) {
  const { id, taken, reason = '' } = hunk
  const decided = (how: 'take' | 'leave', why?: string): void => {
    hunkAt.value = id
    void decideHunk(of, hunk, how, why)
  }
  return (
    <div
      class={`hunk ${hunkAt.value === id ? 'current' : ''}`}
      role="group"
      aria-label={`Change ${number} of ${total}`}
    >
      <span class="nowrap">
        Change {number} of {total}
      </span>
      {taken ? (
        <button type="button" aria-keyshortcuts="l" onClick={() => decided('leave')}>
          Leave out
        </button>
      ) : (
        <>
          <b class="nowrap">Left out</b>
          <button type="button" aria-keyshortcuts="y" onClick={() => decided('take')}>
            Take it
          </button>
          <input
            type="text"
            aria-label="Why it is left out"
            placeholder="Why? The model reads it."
            defaultValue={reason}
            onChange={(event) => decided('leave', event.currentTarget.value)}
          />
        </>
      )}
    </div>
  )
}

interface EditorProps {
  readonly label: string
  /** Its language is known by this. */
  readonly path: string
  readonly text: string
  /** What the text is compared with while it is edited. */
  readonly original?: string | undefined
  /** Where to begin. */
  readonly at?: number
  /** What the draft is kept by. */
  readonly draftKey: string
  readonly keep: (text: string) => Promise<true | undefined>
}

/** A text in place. Nothing is applied by it. */
export function Editor({ label, path, text, original, at = 0, draftKey, keep }: EditorProps) {
  const [base] = useState(text)
  const [found, setFound] = useState(() => readDraft(draftKey))
  // A draft that began with another text is shown only when it is asked for.
  const [draft, setDraft] = useState(found?.base === base ? found.text : base)
  /** The last text that was not typed. */
  const [given, setGiven] = useState({ text: draft })
  const isOther = found !== undefined && found.base !== base
  const type = (next: string): void => {
    setDraft(next)
    setFound(undefined)
    writeDraft(draftKey, { base, text: next })
  }
  const give = (next: string): void => {
    type(next)
    setGiven({ text: next })
  }
  const accept = async (): Promise<void> => {
    if (await keep(draft)) dropDraft(draftKey)
  }
  return (
    <div class="editor">
      {isOther && (
        <div class="alert warn">
          <p>You have a draft that started from another text.</p>
          <Button act={() => give(found.text)}>Show the draft</Button>
        </div>
      )}
      <TextBox {...{ label, path, original, at, given, type, accept }} text={draft} />
      <div class="row">
        <Button kind="primary" act={accept} hint="Ctrl+Enter">
          Use this text
        </Button>
        <Button act={stopEditing} hint="Esc. What you typed is kept as a draft.">
          Close
        </Button>
        {draft !== base && <Button act={() => give(base)}>Discard draft</Button>}
      </div>
    </div>
  )
}

interface TextBoxProps extends Pick<EditorProps, 'label' | 'path' | 'text' | 'original'> {
  readonly at: number
  readonly given: { readonly text: string }
  readonly type: (text: string) => void
  readonly accept: () => unknown
}

/** The editor, which is loaded when the first text is edited; where that fails, a plain box. */
function TextBox({ label, path, text, original, at, given, type, accept }: TextBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | null>(null)
  const [isPlain, setPlain] = useState(false)
  /** What is done with it now: the editor is opened once. */
  const now = useRef({ type, accept, text })
  now.current = { type, accept, text }
  useEffect(() => {
    let isGone = false
    import('./code-editor.ts').then(
      ({ openEditor }) => {
        if (isGone || box.current === null) return
        editor.current = openEditor({
          parent: box.current,
          label,
          path,
          text: now.current.text,
          original,
          at,
          typed: (next) => next !== now.current.text && now.current.type(next),
          keep: () => now.current.accept(),
          close: stopEditing,
        })
      },
      () => !isGone && setPlain(true),
    )
    return () => {
      isGone = true
      editor.current?.close()
      editor.current = null
    }
  }, [])
  // What is typed is in the editor already: writing it there later would undo the keys pressed since.
  useEffect(() => {
    if (editor.current !== null && editor.current.text() !== given.text) editor.current.replace(given.text)
  }, [given])
  if (!isPlain) return <div class="code-editor" ref={box} />
  return (
    <textarea
      id="edit-text"
      aria-label={label}
      spellcheck={false}
      rows={Math.min(24, Math.max(4, text.split('\n').length + 1))}
      value={text}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => editorKey(event, accept)}
    />
  )
}

function editorKey(event: KeyboardEvent, keep: () => unknown): void {
  if (event.key === 'Escape') {
    event.preventDefault()
    event.stopPropagation()
    stopEditing()
  } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void keep()
}

/** What the block says, name by name. */
export function ParamsEditor({ of, params }: { of: Decided; params: Readonly<Record<string, string>> }) {
  const keyOf = (name: string): string => draftKeyOf(of.block, `param ${name}`)
  const [drafts, setDrafts] = useState<Readonly<Record<string, string>>>(() => draftsOf(params, keyOf))
  const keep = async (): Promise<void> => {
    if (await keepParams(of, drafts)) for (const name of Object.keys(params)) dropDraft(keyOf(name))
  }
  return (
    <div class="editor">
      {Object.entries(params).map(([name, text], index) => (
        <label key={name}>
          <span class="mono">{name}</span>
          <textarea
            id={index === 0 ? 'edit-text' : undefined}
            spellcheck={false}
            rows={Math.min(16, text.split('\n').length)}
            defaultValue={drafts[name] ?? text}
            onInput={({ currentTarget: { value } }) => {
              setDrafts({ ...drafts, [name]: value })
              writeDraft(keyOf(name), { base: text, text: value })
            }}
            onKeyDown={(event) => editorKey(event, keep)}
          />
        </label>
      ))}
      <div class="row">
        <Button kind="primary" act={keep} hint="Ctrl+Enter" disabled={Object.keys(drafts).length === 0}>
          Use these texts
        </Button>
        <Button act={stopEditing} hint="Esc. What you typed is kept as a draft.">
          Close
        </Button>
      </div>
    </div>
  )
}

/** Drafts of the parameters as they are now; one that began with another text is none. */
function draftsOf(
  params: Readonly<Record<string, string>>,
  keyOf: (name: string) => string,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [name, text] of Object.entries(params)) {
    const draft = readDraft(keyOf(name))
    if (draft?.base === text) found[name] = draft.text
  }
  return found
}
