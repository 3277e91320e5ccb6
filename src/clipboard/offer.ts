import type { Block } from '../core/block.ts'
import { printable } from '../report/printable.ts'

/** What a person is told when a copied text waits for them. */
export interface Offer {
  readonly text: string
  readonly blocks: readonly Block[]
  /** Whether a second copy of the same text would be seen, and would count. */
  readonly again: 'seen' | 'unseen'
}

/** One line, safe to print. */
export function offerLine({ blocks, again }: Offer): string {
  const shown = blocks.slice(0, 3).map(({ action, params }) => {
    const primary = params['path'] ?? params['command'] ?? params['old_path'] ?? params['lang'] ?? ''
    return printable(`${action || '?'} ${shortened(primary)}`.trim().replace(/\s+/g, ' '))
  })
  const more = blocks.length - shown.length
  const list = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const count = blocks.length === 1 ? 'a block' : `${blocks.length} blocks`
  const or = again === 'seen' ? ', or copy it again at once' : ''
  return `The clipboard holds ${count} (${list}). Press Enter to run ${blocks.length === 1 ? 'it' : 'them'}${or}.`
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
