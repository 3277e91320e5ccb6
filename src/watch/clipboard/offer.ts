import type { Block } from '../../core/block.ts'
import { printable } from '../../report/printable.ts'

/** What a person is told when a copied text waits for them. */
export interface Offer {
  readonly text: string
  readonly blocks: readonly Block[]
  /** Whether a second copy of the same text would be seen, and would count. */
  readonly again: 'seen' | 'unseen'
}

/** One line, safe to print. Only where somebody can press keys are they told to. */
export function offerLine({ blocks, again }: Offer, keys: 'keys' | 'no keys' = 'keys'): string {
  const shown = blocks.slice(0, 3).map(({ action, params }) => {
    const primary = params['path'] ?? params['command'] ?? params['old_path'] ?? params['lang'] ?? ''
    return printable(`${action || '?'} ${shortened(primary)}`.trim().replace(/\s+/g, ' '))
  })
  const more = blocks.length - shown.length
  const list = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const count = blocks.length === 1 ? 'a block' : `${blocks.length} blocks`
  const them = blocks.length === 1 ? 'it' : 'them'
  return `The clipboard holds ${count} (${list}). ${wayTo(`run ${them}`, again, keys)}`
}

function wayTo(run: string, again: Offer['again'], keys: 'keys' | 'no keys'): string {
  if (keys === 'keys') return `Press Enter to ${run}${again === 'seen' ? ', or copy it again at once' : ''}.`
  if (again === 'seen') return `Copy it again at once to ${run}.`
  return 'Here only a reply with the token of clada prompt runs.'
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
