import type { ApprovalAnswer, Tried } from '../src/core/commands.ts'
import type { Question } from '../src/ui/protocol.ts'
import { missingSentence, triedOutput, triedSentence, visible } from '../src/report/words.ts'
import { Button } from './button.tsx'
import { inOrder, Name } from './parts.tsx'
import { shown } from './words.ts'

interface Props {
  readonly question: Question
  readonly answer: (said: ApprovalAnswer) => unknown
  readonly disabled?: boolean
}

/** A question that a run waits for, with what each answer means. */
export function QuestionCard({ question, answer, disabled = false }: Props) {
  const { id, command, about, diff, lacks, tried, runs, root, changed, installs, repository, from } = question
  const keep = about === 'tried'
  return (
    <article class="card" aria-labelledby={`question-${id}`}>
      <h2 id={`question-${id}`}>
        {from === 'page' ? 'The reply' : 'Another clada in this project'} {wishes[about]}
      </h2>
      <pre class="command" tabIndex={0}>
        {inOrder(visible(command))}
      </pre>
      <dl>
        <dt>Where</dt>
        <dd>
          <Name named="mono" of={root} />
        </dd>
        {about !== 'proposal' && (
          <>
            <dt>It runs</dt>
            <dd>
              {runs === undefined ? (
                'Whatever this runs; the project does not say what.'
              ) : (
                <bdi dir="ltr" class="mono">
                  {inOrder(visible(runs))}
                </bdi>
              )}
            </dd>
          </>
        )}
        {about === 'proposal' ? null : tried === undefined ? (
          <>
            <dt>Network</dt>
            <dd>
              {about === 'network'
                ? 'It seems to need it. With it, it can send out everything that it can read. No: it runs without.'
                : 'None, where there is a sandbox. You are asked when it seems to need it.'}
            </dd>
          </>
        ) : (
          <TriedFacts tried={tried} />
        )}
        {installs && (
          <>
            <dt>Caches</dt>
            <dd>It installs packages: it may write to the caches of tools in your home directory.</dd>
          </>
        )}
        {repository && (
          <>
            <dt>Repository</dt>
            <dd>It changes the repository itself, not only files.</dd>
          </>
        )}
      </dl>
      {diff !== undefined && (
        <pre class="command" tabIndex={0}>
          {inOrder(diff.split('\n').map(visible).join('\n'))}
        </pre>
      )}
      {lacks !== undefined && <p class="alert warn">Not the whole file: {missingSentence(lacks)}.</p>}
      {changed && <p class="alert warn">You approved it before, but what it runs has changed.</p>}
      <div class="row">
        <Button kind="danger" act={() => answer('no')} disabled={disabled}>
          No
        </Button>
        <Button act={() => answer('once')} disabled={disabled}>
          {keep ? 'Keep' : 'Once'}
        </Button>
        <Button act={() => answer('always')} disabled={disabled}>
          {keep ? 'Keep, always allow' : 'Always'}
        </Button>
      </div>
      <dl class="meanings">
        {Object.entries(meanings[about]).map(([said, means]) => (
          <div key={said}>
            <dt>{said}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}

const wishes = {
  command: 'wants to run a command',
  network: 'wants to use the network',
  proposal: 'has a file to write',
  tried: 'tried a command in the sandbox. Keep its changes?',
} as const satisfies Record<Question['about'], string>

/** What each answer means. */
const meanings: Readonly<Record<Question['about'], Readonly<Record<string, string>>>> = {
  command: {
    No: 'It does not run, and the answer tells the model.',
    Once: 'It runs now. The next time you are asked again.',
    Always: 'It runs now and later in this project without a question, as long as it runs the same.',
  },
  network: {
    No: 'It runs without the network.',
    Once: 'It runs with the network now. The next time you are asked again.',
    Always: 'It may use the network in this project, as long as it runs the same.',
  },
  proposal: {
    No: 'The file stays as it is, and the answer tells the model.',
    Once: 'This file is written. You are asked about the next one.',
    Always: 'This file and all further ones of this reply are written.',
  },
  tried: {
    No: 'Its changes are dropped, and the answer tells the model.',
    Keep: 'Its changes stay. The next time you are asked again.',
    'Keep, always allow': 'Its changes stay, and it may run in this project as long as it runs the same.',
  },
}

function TriedFacts({ tried }: { tried: Tried }) {
  const { changed, more } = tried
  const output = triedOutput(tried)
  return (
    <>
      <dt>Tried</dt>
      <dd>{triedSentence(tried)}</dd>
      {changed.length > 0 && (
        <>
          <dt>Changes</dt>
          <dd>
            <ul class="tried" tabIndex={0} aria-label="Files that it changed">
              {changed.map(({ path, change }) => (
                <li key={path}>
                  <span class={`change ${change}`}>{change}</span> <Name named="mono" of={path} />
                </li>
              ))}
              {more > 0 && <li>and {more} more</li>}
            </ul>
          </dd>
        </>
      )}
      {output.length > 0 && (
        <>
          <dt>Output</dt>
          <dd>
            <pre class="tried" tabIndex={0} aria-label="The end of its output">
              {shown(output.join('\n'))}
            </pre>
          </dd>
        </>
      )}
    </>
  )
}
