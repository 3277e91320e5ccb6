import type { Details } from '../../src/core/result.ts'
import { changerOf } from '../../src/report/words.ts'
import type { BlockDetail, BlockState } from '../../src/ui/protocol.ts'
import { shown } from '../words.ts'

/** Why it fails, and what is there instead of what was asked for. */
export function Failure({ detail, state }: { detail: BlockDetail; state: BlockState }) {
  const { advice, result } = detail
  const { error = '', details = {} } = result ?? {}
  const { nearest = [], places = [], command, rule, already_applied_at_line: already, changed_by } = details
  return (
    <div class={`alert ${state === 'approval' ? 'ask' : 'bad'}`}>
      <p class="reason">{shown(error)}</p>
      {command !== undefined && <pre class="command">{shown(command)}</pre>}
      {state === 'approval' && <p class="hint">You are asked when it is applied. Until then nothing runs.</p>}
      {rule !== undefined && (
        <p class="hint">
          Rule: <code>{rule}</code>
        </p>
      )}
      {already !== undefined && <p class="hint">The new text is already in the file, on line {already}.</p>}
      {changed_by !== undefined && <p class="hint">This text was there until {changerOf(changed_by)} changed it.</p>}
      {nearest.map((near) => (
        <Nearest key={near.line} near={near} />
      ))}
      {places.length > 0 && <Places places={places} />}
      {details.expected !== undefined && typeof details.found === 'string' && (
        <Beside
          left={[
            'Expected',
            String(details.expected)
              .split('\n')
              .map((text) => ({ text, kind: 'removed' as const })),
          ]}
          right={['Found', details.found.split('\n').map((text) => ({ text, kind: 'added' as const }))]}
        />
      )}
      {details.failures?.map(({ path, error: why }) => (
        <p key={path} class="hint">
          <bdi class="mono">{shown(path)}</bdi>: {shown(why)}
        </p>
      ))}
      {advice !== undefined && state !== 'approval' && <p class="hint">{shown(advice)}</p>}
    </div>
  )
}

interface Line {
  readonly text: string
  readonly kind: 'same' | 'added' | 'removed'
}

/** `-` is what was asked for, `+` what is in the file. */
function Nearest({ near }: { near: NonNullable<Details['nearest']>[number] }) {
  const { line, endLine, similarity, diff, why } = near
  const lines = diff.split('\n')
  const side = (own: '-' | '+', kind: Line['kind']): Line[] =>
    lines
      .filter((one) => one.startsWith(own) || !/^[-+]/.test(one))
      .map((one) => ({ text: one.slice(1), kind: one.startsWith(own) ? kind : 'same' }))
  const where = line === endLine ? `line ${line}` : `lines ${line}–${endLine}`
  const how = why ?? `${Math.round(similarity * 100)} % alike`
  return (
    <Beside left={['Asked for', side('-', 'removed')]} right={[`In the file, ${where} (${how})`, side('+', 'added')]} />
  )
}

function Beside({
  left,
  right,
}: {
  left: readonly [string, readonly Line[]]
  right: readonly [string, readonly Line[]]
}) {
  return (
    <div class="beside">
      {[left, right].map(([title, lines]) => (
        <figure key={title}>
          <figcaption>{shown(title)}</figcaption>
          <pre tabIndex={0} aria-label={title}>
            {lines.map(({ text, kind }, index) => (
              <span key={index} class={`code ${kind}`}>
                {shown(text)}
                {'\n'}
              </span>
            ))}
          </pre>
        </figure>
      ))}
    </div>
  )
}

function Places({ places }: { places: NonNullable<Details['places']> }) {
  return (
    <figure class="places">
      <figcaption>It is there</figcaption>
      <pre tabIndex={0} aria-label="Places">
        {places.slice(0, 20).map(({ line, before, text, after }) => (
          <span key={line} class="place">
            {before !== undefined && `${String(line - 1).padStart(6)}  ${shown(before)}\n`}
            <b>{`${String(line).padStart(6)}  ${shown(text)}\n`}</b>
            {after !== undefined && `        ${shown(after)}\n`}
          </span>
        ))}
        {places.length > 20 && `and ${places.length - 20} more\n`}
      </pre>
    </figure>
  )
}
