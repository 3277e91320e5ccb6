import { forget, openDocument, reopenReply } from '../actions.ts'
import { Button } from '../button.tsx'
import { page, plan, unopened } from '../store.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import type { ReplyEntry } from '../../../clada/src/ui/protocol.ts'

/** Every reply that was opened here. Nothing that is pasted takes one away. */
export function Replies({ open = false }: { open?: boolean }) {
  const replies = page.value?.replies ?? []
  const current = plan.value?.reply
  if (replies.length === 0 || (replies.length === 1 && replies[0]?.id === current)) return null
  return (
    <details class="replies" open={open}>
      <summary>{formatCount(replies.length, 'reply', 'replies')}</summary>
      <ul>
        {replies.map((entry) => (
          <li key={entry.id} class="entry">
            <button
              type="button"
              class="leaf"
              aria-current={entry.id === current}
              disabled={page.value?.running !== null}
              onClick={() => void reopenReply(entry.id)}
            >
              <bdi>{spellOut(entry.name === '' ? entry.title : entry.name)}</bdi>
              <span class="quiet nowrap">{describeReply(entry)}</span>
            </button>
            <Button
              quiet
              act={() => forget(entry.id)}
              hint="Take it off the list"
              disabled={page.value?.running !== null}
            >
              <span aria-hidden="true">×</span>
              <span class="unseen">Take {spellOut(entry.title)} off the list</span>
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function describeReply({ opened, blocks, done, failed }: ReplyEntry): string {
  const time = new Date(opened).toLocaleTimeString(undefined, { timeStyle: 'short' })
  const results = [...(done > 0 ? [`${done} done`] : []), ...(failed > 0 ? [`${failed} failed`] : [])]
  return [time, formatCount(blocks, 'block'), ...results].join(' · ')
}

/** What was pasted has no blocks, and a reply is being looked at: that stays until the person says otherwise. */
export function Unopened() {
  const asked = unopened.value
  if (asked === null) return null
  return (
    <div class="banner ask" role="alert">
      <span>
        The text that you pasted has no blocks, so the reply stays open.{' '}
        <q>{spellOut(asked.text.trim().slice(0, 80))}</q>
      </span>
      <span class="row">
        <Button act={() => (unopened.value = null)}>Keep the reply</Button>
        <Button quiet act={() => openDocument(asked.text, asked.name, 'any')}>
          Open the text
        </Button>
      </span>
    </div>
  )
}
