import type { PageState, ReplyPlan } from '../../clada/src/ui/protocol.ts'
import { get } from './api.ts'

/**
 * The reply that is shown, kept in this tab: `clada ui` forgets it when it is ended, and starting it again must not cost the
 * text. Decisions about it are not kept.
 */
export interface HeldReply {
  /** The project that it is for: another one may be served at this port next. */
  readonly root: string
  /** The `clada ui` that showed it. */
  readonly session: string
  readonly reply: number
  readonly name: string
  readonly text: string
}

// Not `localStorage`: whatever is served at this port later could read it.
const key = 'clada-reply'

/** More than a chat ever has; the storage of a tab takes about twice as much. */
const mostBytes = 2_000_000

export function heldReply(): HeldReply | undefined {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    return isHeld(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** Called with every plan that is shown: its text is fetched when it is another one. What is done whole is not needed. */
export async function holdReply(
  { root, session }: Pick<PageState, 'root' | 'session'>,
  plan: ReplyPlan | null,
): Promise<void> {
  const before = heldReply()
  if (plan === null || plan.bytes > mostBytes || plan.blocks.every(({ outcome }) => outcome !== undefined)) {
    // What an ended server showed is needed still.
    if (before?.session === session) dropReply()
    return
  }
  const { reply, name, bytes } = plan
  const isSame = before?.session === session && before.reply === reply
  if (isSame && new TextEncoder().encode(before.text).length === bytes && !plan.edited) return
  const { text } = await get<{ text: string }>('/api/document')
  try {
    sessionStorage.setItem(key, JSON.stringify({ root, session, reply, name, text } satisfies HeldReply))
  } catch {
    // Storage may be closed or full.
  }
}

/** The reply of a server that has ended, where the new one of the same project shows none. */
export function lostReply({
  root,
  session,
  plan,
}: Pick<PageState, 'root' | 'session' | 'plan'>): HeldReply | undefined {
  const held = heldReply()
  return plan === null && held?.root === root && held.session !== session ? held : undefined
}

export function dropReply(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Nothing is held then.
  }
}

const isHeld = (found: unknown): found is HeldReply =>
  typeof found === 'object' &&
  found !== null &&
  'root' in found &&
  typeof found.root === 'string' &&
  'session' in found &&
  typeof found.session === 'string' &&
  'reply' in found &&
  typeof found.reply === 'number' &&
  'name' in found &&
  typeof found.name === 'string' &&
  'text' in found &&
  typeof found.text === 'string'
