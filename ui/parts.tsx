import type { Signal } from '@preact/signals'
import type { FileChange } from '../src/core/result.ts'
import type { TouchedFile } from '../src/ui/protocol.ts'
import { countChanges } from '../src/text/count-changes.ts'
import { shown } from './words.ts'

/** Small things that several views show. */

/** A path with its last part emphasised; a long one is cut at its start. */
export function Path({ path }: { path: string }) {
  const at = path.lastIndexOf('/') + 1
  return (
    <span class="path" title={shown(path)}>
      <bdi class="dir">{shown(path.slice(0, at))}</bdi>
      <bdi class="file">{shown(path.slice(at))}</bdi>
    </span>
  )
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
    placeholder={label}
    value={value.value}
    onInput={(event) => {
      value.value = event.currentTarget.value
    }}
  />
)
