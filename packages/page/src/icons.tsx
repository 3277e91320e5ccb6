import type { JSX } from 'preact'
import type { BlockMark } from './labels.ts'

const half = (
  <>
    <circle cx="8" cy="8" r="5" />
    <path class="fill" d="M8 3a5 5 0 0 1 0 10z" />
  </>
)

/** A shape for each state: none is distinguished by colour alone. */
const shapes: Record<BlockMark, JSX.Element> = {
  left: <path d="M3.5 8h9" />,
  checking: <path d="M4 8h.1M8 8h.1M12 8h.1" />,
  ready: <circle cx="8" cy="8" r="5" />,
  repaired: half,
  part: half,
  approval: (
    <>
      <path d="M5.7 6.1a2.4 2.4 0 1 1 3.4 2.1c-.7.4-1.1.8-1.1 1.5" />
      <path d="M8 12.2v.1" />
    </>
  ),
  unknown: (
    <>
      <circle cx="8" cy="8" r="5" stroke-dasharray="2 2" />
    </>
  ),
  refused: (
    <>
      <circle cx="8" cy="8" r="5" />
      <path d="M4.6 11.4l6.8-6.8" />
    </>
  ),
  fails: <path d="M8 3l5.4 9.6H2.6zM8 7v2.4M8 11v.1" />,
  broken: <path d="M4 4l8 8M12 4l-8 8" />,
  skipped: <path d="M4 8h8" />,
  waiting: (
    <>
      <path d="M5.7 6.1a2.4 2.4 0 1 1 3.4 2.1c-.7.4-1.1.8-1.1 1.5" />
      <path d="M8 12.2v.1" />
    </>
  ),
  running: <path class="fill" d="M5 3.5l7 4.5-7 4.5z" />,
  done: <path d="M3.5 8.6l3 3 6-6.6" />,
  failed: <path d="M4 4l8 8M12 4l-8 8" />,
}

export const StateIcon = ({ mark }: { mark: BlockMark }) => (
  <svg class={`icon state-${mark}`} viewBox="0 0 16 16" aria-hidden="true">
    {shapes[mark]}
  </svg>
)

export const ThemeIcon = ({ of }: { of: 'auto' | 'light' | 'dark' }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <circle class={of === 'dark' ? 'fill' : ''} cx="8" cy="8" r="5.5" />
    {of === 'auto' && <path class="fill" d="M8 2.5a5.5 5.5 0 0 1 0 11z" />}
  </svg>
)

export const RefreshIcon = () => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M13 8a5 5 0 1 1-1.5-3.6L13 6M13 2.5V6H9.5" />
  </svg>
)
