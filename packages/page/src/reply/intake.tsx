import { useEffect, useRef } from 'preact/hooks'
import { follow, openDocument, openFile } from '../actions.ts'
import { Button } from '../button.tsx'
import { page } from '../store.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { intakeDraft, readDraft, writeDraft } from './drafts.ts'
import { Replies } from './replies.tsx'

/** Where a reply comes in: pasted, dropped, chosen, or followed in a file. */
export function Intake() {
  const area = useRef<HTMLTextAreaElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const followed = page.value?.follow
  useEffect(() => area.current?.focus(), [])
  const show = (): void => void openDocument(area.current?.value ?? '', '')
  return (
    <section class="intake" aria-labelledby="intake-title">
      <h2 id="intake-title">Paste a model’s reply</h2>
      <p class="lead">The whole text, with its prose. You see every change before anything is applied.</p>
      <textarea
        ref={area}
        id="reply"
        aria-label="The reply"
        placeholder="Paste the reply here, or drop a file anywhere on this page"
        spellcheck={false}
        defaultValue={readDraft(intakeDraft)?.text ?? ''}
        onInput={(event) => writeDraft(intakeDraft, { base: '', text: event.currentTarget.value })}
        onPaste={(event) => {
          const text = event.clipboardData?.getData('text/plain') ?? ''
          if (text === '' || event.currentTarget.value !== '') return
          event.preventDefault()
          void openDocument(text, '')
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) show()
        }}
      />
      <div class="row">
        <Button kind="primary" act={show} hint="Ctrl+Enter">
          Review
        </Button>
        <Button act={() => chooser.current?.click()}>Choose a file…</Button>
        <input
          ref={chooser}
          type="file"
          class="unseen"
          tabIndex={-1}
          aria-label="A file with a reply"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? []
            event.currentTarget.value = ''
            if (file !== undefined) void openFile(file)
          }}
        />
        {followed !== null && followed !== undefined && (
          <label class="check">
            <input type="checkbox" checked={followed.on} onChange={(event) => follow(event.currentTarget.checked)} />
            Follow <code>{spellOut(followed.file)}</code>
          </label>
        )}
      </div>
      <Replies open />
    </section>
  )
}
