import type { Details, PlaceChoice } from '../../../clada/src/core/result.ts'
import type { ReviewPlace } from '../../../clada/src/core/review.ts'
import { changerOf } from '../../../clada/src/report/words.ts'
import type { BlockDetail } from '../../../clada/src/ui/protocol.ts'
import { Button } from '../button.tsx'
import { isolateParts, Name } from '../parts.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { canDecideNow, type Decided, editWhenShown, takeFitting, usePlace } from './choices.ts'

/** Why it fails, and what is there instead of what was asked for: a place can be taken by a click. */
export function Failure({ of, detail }: { of: Decided; detail: BlockDetail }) {
  const { advice, result, places, fitting, choice } = detail
  const { state, outcome } = of.block
  const isAsked = state === 'approval' && outcome === undefined
  const { error = '', details = {} } = result ?? {}
  const [sentence = '', ...below] = error.split('\n')
  const { command, rule, already_applied_at_line: already, changed_by } = details
  return (
    <div class={`alert ${isAsked ? 'ask' : 'bad'}`}>
      <p class="reason">{spellOut(sentence)}</p>
      {below.length > 0 && <pre class="below">{isolateParts(spellOut(below.join('\n')))}</pre>}
      {command !== undefined && <pre class="command">{isolateParts(spellOut(command))}</pre>}
      {isAsked && <p class="hint">You are asked before it runs.</p>}
      {rule !== undefined && (
        <p class="hint">
          Rule: <code>{rule}</code>
        </p>
      )}
      {already !== undefined && <p class="hint">The new text is already in the file, on line {already}.</p>}
      {changed_by !== undefined && <p class="hint">This text was there until {changerOf(changed_by)} changed it.</p>}
      {places.slice(0, mostPlaces).map((place) => (
        <Place
          key={place.line}
          of={of}
          place={place}
          around={details.places?.find(({ line }) => line === place.line)}
        />
      ))}
      {places.length > mostPlaces && <p class="hint">and {places.length - mostPlaces} more places</p>}
      {fitting > 0 && choice.patches === undefined && canDecideNow(of.block) && (
        <div class="row">
          <Button act={() => takeFitting(of)}>
            {fitting === 1 ? 'Take the hunk that fits' : `Take the ${fitting} hunks that fit`}
          </Button>
        </div>
      )}
      {details.expected !== undefined && typeof details.found === 'string' && (
        <Beside
          sides={[
            ['Expected', diffRows(String(details.expected), 'removed')],
            ['Found', diffRows(details.found, 'added')],
          ]}
        />
      )}
      {details.failures?.map(({ path, error: why }) => (
        <p key={path} class="hint">
          <Name named="mono" of={path} />: {spellOut(why)}
        </p>
      ))}
      {advice !== undefined && state !== 'approval' && <p class="hint">{spellOut(advice)}</p>}
    </div>
  )
}

const diffRows = (text: string, kind: FailureLine['kind']): FailureLine[] =>
  text.split('\n').map((line) => ({ text: line, kind }))

interface FailureLine {
  readonly text: string
  readonly kind: 'same' | 'added' | 'removed'
}

const mostPlaces = 20

export const placeName = ({ line, endLine }: PlaceChoice): string =>
  line === endLine ? `line ${line}` : `lines ${line}–${endLine}`

interface PlaceProps {
  readonly of: Decided
  readonly place: ReviewPlace
  /** Lines around it, where the text is there more than once. */
  readonly around: NonNullable<Details['places']>[number] | undefined
}

/** In the differences `-` is what was asked for, `+` what is in the file. */
function Place({ of, place, around }: PlaceProps) {
  const { similarity, diff, why, text } = place
  const lines = diff?.split('\n') ?? []
  const side = (own: '-' | '+', kind: FailureLine['kind']): FailureLine[] =>
    lines
      .filter((one) => one.startsWith(own) || !/^[-+]/.test(one))
      .map((one) => ({ text: one.slice(1), kind: one.startsWith(own) ? kind : 'same' }))
  const same = (one: string | undefined): FailureLine[] => (one === undefined ? [] : [{ text: one, kind: 'same' }])
  const found = text.replace(/\n$/, '').split('\n')
  const here: FailureLine[] = [
    ...same(around?.before),
    ...found.map((one) => ({ text: one, kind: 'added' as const })),
    ...same(around?.after),
  ]
  const how = similarity === undefined ? '' : ` (${why ?? `${Math.round(similarity * 100)}% similar`})`
  const title = `In the file, ${placeName(place)}${how}`
  return (
    <div class="place">
      {diff === undefined ? (
        <Beside sides={[[title, here]]} />
      ) : (
        <Beside
          sides={[
            ['The block expects', side('-', 'removed')],
            [title, side('+', 'added')],
          ]}
        />
      )}
      {canDecideNow(of.block) && (
        <div class="row">
          <Button act={() => usePlace(of, place)}>
            Use this place<span class="unseen">, {placeName(place)}</span>
          </Button>
          <Button
            act={async () => {
              await usePlace(of, place)
              editWhenShown(of.block)
            }}
          >
            Use it and edit<span class="unseen"> {placeName(place)}</span>
          </Button>
        </div>
      )}
    </div>
  )
}

function Beside({ sides }: { sides: readonly (readonly [string, readonly FailureLine[]])[] }) {
  return (
    <div class="beside">
      {sides.map(([title, lines]) => (
        <figure key={title}>
          <figcaption>{spellOut(title)}</figcaption>
          <pre tabIndex={0} aria-label={title}>
            {lines.map(({ text, kind }, index) => (
              <span key={index} class={`code ${kind}`}>
                {isolateParts(spellOut(text))}
                {'\n'}
              </span>
            ))}
          </pre>
        </figure>
      ))}
    </div>
  )
}
