import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { FileChange } from '../../clada/src/core/result.ts'
import type { PlanBlock, TouchedFile } from '../../clada/src/ui/protocol.ts'
import { countChanges } from '@clada/reply/text/line-diff.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'

/** Small things that several views show. */

/**
 * A text whose parts stay in their order: letters that are written from right to left turn around only what is between
 * them, not the digits and signs next to them.
 */
export function isolateParts(text: string): ComponentChildren {
  if (!rightToLeft.test(text)) return text
  return text.split(runs).map((part, index) => (index % 2 === 0 ? part : <bdi dir="rtl">{part}</bdi>))
}

const letter = String.raw`[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\u{800}-\u{8ff}\u{fb1d}-\u{fdff}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`
const rightToLeft = new RegExp(letter, 'u')
const runs = new RegExp(`(${letter}+(?: +${letter}+)*)`, 'u')

/** A path or a command, from left to right whatever is in it. */
export const Name = ({ of, named }: { of: string; named?: string }) => (
  <bdi dir="ltr" class={named}>
    {isolateParts(spellOut(of))}
  </bdi>
)

/** A path with its last part emphasised; a long one is cut at its start. */
export function Path({ path }: { path: string }) {
  const at = path.lastIndexOf('/') + 1
  return (
    <span class="path target" title={spellOut(path)}>
      {/* A box without text would stand on the line instead of its letters. */}
      {at > 0 && <Name named="dir" of={path.slice(0, at)} />}
      <Name named="file" of={path.slice(at)} />
    </span>
  )
}

/** What a block is about: the file or the command leads, and the action is what it has otherwise. */
export function BlockName({ of: { target, action, runs, syntax, isProgram } }: { of: TitledBlock }) {
  if (isProgram) return <Name named="target program" of={firstTextLine(runs ?? target)} />
  if (target === '') return <Name named="target" of={action === '' ? syntax : action} />
  return <Path path={target} />
}

type TitledBlock = Pick<PlanBlock, 'target' | 'action' | 'runs' | 'syntax' | 'isProgram'>

const firstTextLine = (text: string): string => {
  const [first = '', ...others] = text.trim().split('\n')
  return others.length === 0 ? first : `${first} …`
}

export function Counts({ of }: { of: TouchedFile | FileChange }) {
  const { added, removed } = 'added' in of ? of : countChanges(of.before, of.after)
  return (
    <span class="counts">
      {added > 0 && (
        <span class="added">
          <span class="unseen">added </span>+{added}
        </span>
      )}
      {removed > 0 && (
        <span class="removed">
          <span class="unseen">removed </span>−{removed}
        </span>
      )}
    </span>
  )
}

export const Key = ({ of }: { of: string }) => (
  <kbd aria-hidden="true" class="key">
    {of}
  </kbd>
)

/** A field that narrows a list. */
export const Search = ({ id, label, value }: { id: string; label: string; value: Signal<string> }) => (
  <input
    type="search"
    id={id}
    aria-label={label}
    placeholder="Search"
    value={value.value}
    onInput={(event) => {
      value.value = event.currentTarget.value
    }}
  />
)
