import type { ApprovalAnswer, Tried } from '../../clada/src/core/commands.ts'
import type { Question } from '../../clada/src/ui/protocol.ts'
import { missingSentence, triedOutput, triedSentence, spellOutCommand } from '../../clada/src/report/words.ts'
import { Button } from './button.tsx'
import { inOrder, Name } from './parts.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'

interface Props {
  readonly question: Question
  readonly answer: (said: ApprovalAnswer) => unknown
  readonly disabled?: boolean
}

/** A question that a run waits for, with what each answer means. */
export function QuestionCard({ question, answer, disabled = false }: Props) {
  const { id, command, about, canTry, diff, lacks, tried, program, bound, unsandboxed, root, changed, from } = question
  const keep = about === 'tried'
  return (
    <article class="card" aria-labelledby={`question-${id}`}>
      <h2 id={`question-${id}`}>
        {from === 'page' ? 'The reply' : 'Another clada in this project'} {wishes[about]}
      </h2>
      <pre class="command" tabIndex={0}>
        {inOrder(spellOutCommand(command))}
      </pre>
      <dl>
        <dt>Where</dt>
        <dd>
          <Name named="mono" of={root} />
        </dd>
        {about !== 'proposal' && (
          <>
            <dt>Program</dt>
            <dd>{program === undefined ? 'Not found' : <Name named="mono" of={program} />}</dd>
            <dt>A yes is for</dt>
            <dd>Whatever this runs, {unsandboxed ? 'without a sandbox, as you' : 'in the sandbox'}.</dd>
          </>
        )}
        {about === 'proposal' ? null : tried === undefined ? (
          <>
            <dt>Network</dt>
            <dd>
              {about === 'network'
                ? 'It seems to need it. With it, whatever this runs can send out everything that it can read.'
                : unsandboxed
                  ? 'Not blocked, because there is no sandbox.'
                  : 'None. You are asked when it seems to need it.'}
            </dd>
          </>
        ) : (
          <TriedFacts tried={tried} />
        )}
        {bound !== undefined && (
          <>
            <dt>Always</dt>
            <dd>Until one of these files changes: {inOrder(spellOutCommand(bound))}</dd>
          </>
        )}
        {question.repository && (
          <>
            <dt>Repository</dt>
            <dd>It changes the repository itself, not only files.</dd>
          </>
        )}
      </dl>
      {diff !== undefined && (
        <pre class="command" tabIndex={0}>
          {inOrder(diff.split('\n').map(spellOutCommand).join('\n'))}
        </pre>
      )}
      {lacks !== undefined && <p class="alert warn">Not the whole file: {missingSentence(lacks)}.</p>}
      {changed && (
        <p class="alert warn">You approved it before, but files that could decide what it runs have changed.</p>
      )}
      <div class="row">
        <Button kind="danger" act={() => answer('no')} disabled={disabled}>
          No
        </Button>
        {canTry && (
          <Button act={() => answer('try')} disabled={disabled}>
            Try
          </Button>
        )}
        <Button act={() => answer('once')} disabled={disabled}>
          {keep ? 'Keep' : 'Once'}
        </Button>
        <Button act={() => answer('always')} disabled={disabled}>
          {keep ? 'Keep, always allow' : 'Always'}
        </Button>
      </div>
      <dl class="meanings">
        {Object.entries({ ...meanings[about], ...(canTry && { Try: tryMeans }) }).map(([said, means]) => (
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
  tried: 'wants to run a command, which you tried. Approve it and keep the result?',
} as const satisfies Record<Question['about'], string>

/** What each answer means. */
const meanings: Readonly<Record<Question['about'], Readonly<Record<string, string>>>> = {
  command: {
    No: 'It does not run, and the answer tells the model.',
    Once: 'It runs now. The next time you are asked again.',
    Always: 'It runs now and later in this project without a question.',
  },
  network: {
    No: 'It runs without the network.',
    Once: 'It runs with the network now. The next time you are asked again.',
    Always: 'It may use the network in this project, until one of the files above changes.',
  },
  proposal: {
    No: 'The file stays as it is, and the answer tells the model.',
    Once: 'This file is written. You are asked about the next one.',
    Always: 'This file and all further ones of this reply are written.',
  },
  tried: {
    No: 'Its changes are dropped, and the answer tells the model.',
    Keep: 'Its changes stay. The next time you are asked again.',
    'Keep, always allow': 'Its changes stay, and it may run in this project without a question.',
  },
}

const tryMeans = 'It runs in the sandbox, on a layer and without network, and you are asked again with what it did.'

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
              {spellOut(output.join('\n'))}
            </pre>
          </dd>
        </>
      )}
    </>
  )
}
