import type { ComponentChildren } from 'preact'
import { isolateParts } from '../parts.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import type { Coloured } from './colours.ts'
import { longestLine } from './rows.ts'

interface Props {
  readonly text: string
  /** What ends a line here. Other ends are spelled out. */
  readonly lineEnd: '\n' | '\r\n'
  readonly colours: readonly Coloured[]
  /** The part that is different. */
  readonly strong: { readonly from: number; readonly to: number } | undefined
  /** Characters; what is longer is cut, and says so. */
  readonly longest?: number
}

/** A line of code as text nodes: colours and marks lie around them, and nothing in them is hidden. */
export function CodeLine({ text, lineEnd, colours, strong, longest = longestLine }: Props) {
  const ended = text.endsWith(lineEnd)
  const line = ended ? text.slice(0, -lineEnd.length) : text
  const end = Math.min(line.length, longest)
  const parts: ComponentChildren[] = []
  const add = (from: number, to: number, classes: string): void => {
    if (from >= to) return
    const inside = strong !== undefined && from >= strong.from && to <= strong.to
    const name = `${classes}${inside ? ' strong' : ''}`.trim()
    const spelled = plainText(line.slice(from, to))
    parts.push(name === '' ? spelled : <span class={name}>{spelled}</span>)
  }
  /** A part that the difference begins or ends in is two. */
  const cut = (from: number, to: number, classes: string): void => {
    const at = [strong?.from ?? to, strong?.to ?? to].filter((one) => one > from && one < to)
    let begin = from
    for (const one of [...at, to]) {
      add(begin, one, classes)
      begin = one
    }
  }
  let done = 0
  for (const { from, to, classes } of colours) {
    if (from >= end) break
    cut(done, Math.min(from, end), '')
    cut(from, Math.min(to, end), classes)
    done = Math.min(to, end)
  }
  cut(done, end, '')
  return (
    <>
      {parts}
      {end < line.length && <span class="special"> … {line.length - end} more characters</span>}
      {!ended && strong !== undefined && <span class="special"> (no line break at the end)</span>}
    </>
  )
}

/** A tab stays a tab; everything else that cannot be seen is spelled out. */
const plainText = (text: string): ComponentChildren => isolateParts(spellOut(text).replaceAll('\r', '\\r'))
