import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  readonly id: string
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  /** The row that the keyboard is at. */
  readonly current: number
  readonly multiselectable?: boolean
  /** Rows of a `list` have their own buttons; those of a `listbox`, which is the default, are `option`s. */
  readonly role?: 'list' | 'listbox'
  readonly row: (index: number) => ComponentChildren
}

/** A list of which only the rows in sight exist, so that its length costs nothing. */
export function VirtualList({ id, label, count, rowHeight, current, multiselectable, role = 'listbox', row }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState({ top: 0, height: 800 })

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    // In steps, so that not every pixel draws anew.
    const step = rowHeight * 4
    const measure = (): void => {
      const top = Math.floor(element.scrollTop / step) * step
      const height = element.clientHeight + step
      setScroll((before) => (before.top === top && before.height === height ? before : { top, height }))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [rowHeight])

  useLayoutEffect(() => {
    const element = box.current
    if (element === null || current < 0) return
    const top = current * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight
  }, [current, rowHeight, count])

  const first = Math.max(0, Math.floor(scroll.top / rowHeight) - 8)
  const last = Math.min(count, Math.ceil((scroll.top + scroll.height) / rowHeight) + 8)
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index)
  const inSight = current >= first && current < last
  return (
    <div
      ref={box}
      id={id}
      class="list"
      role={role}
      tabIndex={role === 'listbox' ? 0 : undefined}
      aria-label={label}
      aria-multiselectable={multiselectable}
      aria-activedescendant={inSight && role === 'listbox' ? `${id}-${current}` : undefined}
    >
      <div role="presentation" class="list-inner" style={{ height: `${count * rowHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows.map(row)}
        </div>
      </div>
    </div>
  )
}
