import type { ApprovalAnswer, TrialRun } from '../../clada/src/core/commands.ts'
import type { Question } from '../../clada/src/ui/protocol.ts'
import {
  doubtSentence,
  proposalWords,
  triedOutput,
  triedSentence,
  spellOutCommand,
} from '../../clada/src/report/words.ts'
import { UnifiedDiff } from './diff/unified-diff.tsx'
import { isolateParts, Name, Path } from './parts.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'

interface Props {
  readonly question: Question
  readonly answer: (said: ApprovalAnswer) => unknown
  readonly disabled?: boolean
}

/** A question that a run waits for, with what each answer means. */
export function QuestionCard({ question, answer, disabled = false }: Props) {
  const {
    id,
    command,
    about,
    canTry,
    diff = '',
    lacks,
    tried,
    program,
    bound,
    unsandboxed,
    root,
    changed,
    from,
  } = question
  const isProgram = about !== 'proposal' || diff === ''
  return (
    <article class="card" aria-labelledby={`question-${id}`}>
      <header>
        <h2 id={`question-${id}`}>{titles[about]}</h2>
        <p class="quiet">
          {from === 'page' ? 'The reply' : 'Another clada in this project'}{' '}
          {about === 'proposal' ? `proposes to ${proposalWords[question.proposed ?? 'edit']} it.` : wishes[about]}
        </p>
      </header>
      {isProgram ? (
        <pre class="command" tabIndex={0}>
          {isolateParts(spellOutCommand(command))}
        </pre>
      ) : (
        <p class="command">
          <Path path={command} />
        </p>
      )}
      {lacks !== undefined && <p class="alert warn">{doubtSentence(lacks)}.</p>}
      {diff !== '' && (
        <div class="card-diff scroller" tabIndex={0} role="region" aria-label="What would change">
          <UnifiedDiff path={command} diff={diff} />
        </div>
      )}
      <dl>
        {about !== 'proposal' && (
          <>
            <dt>Where</dt>
            <dd>
              <Name named="mono" of={root} />
            </dd>
            <dt>Program</dt>
            <dd>{program === undefined ? 'Not found' : <Name named="mono" of={program} />}</dd>
            <dt>Sandbox</dt>
            <dd>
              {unsandboxed
                ? 'None: whatever it starts can do what you can do.'
                : 'Whatever it starts runs in the sandbox.'}
            </dd>
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
            <dd>Until one of these files changes: {isolateParts(spellOutCommand(bound))}</dd>
          </>
        )}
        {question.repository && (
          <>
            <dt>Repository</dt>
            <dd>It changes the repository itself, not only files.</dd>
          </>
        )}
      </dl>
      {changed && (
        <p class="alert warn">You approved it before, but files that could decide what it runs have changed.</p>
      )}
      <div class="answers">
        {answersTo(about, canTry).map(([said, label, means]) => (
          <button
            key={said}
            type="button"
            class={`answer ${said}`}
            disabled={disabled}
            onClick={() => void answer(said)}
          >
            <b>{label}</b> <span>{means}</span>
          </button>
        ))}
      </div>
    </article>
  )
}

const titles = {
  command: 'Run this command?',
  network: 'Let it use the network?',
  proposal: 'Apply this proposal?',
  tried: 'Approve it and keep the result?',
} as const satisfies Record<Question['about'], string>

const wishes = {
  command: 'wants to run it.',
  network: 'runs it, and it seems to need the network.',
  tried: 'wants to run it, and you tried it.',
} as const satisfies Record<Exclude<Question['about'], 'proposal'>, string>

type AnswerChoice = readonly [said: ApprovalAnswer, label: string, means: string]

const answersTo = (about: Question['about'], canTry: boolean): readonly AnswerChoice[] =>
  answers[about].filter(([said]) => said !== 'try' || canTry)

/** The answers to each question, with what they mean. */
const answers: Readonly<Record<Question['about'], readonly AnswerChoice[]>> = {
  command: [
    ['no', 'No', 'It does not run, and the report tells the model.'],
    ['try', 'Try', 'It runs in the sandbox, on a copy and without network. You see what it did, and are asked again.'],
    ['once', 'Once', 'It runs now. The next time you are asked again.'],
    ['always', 'Always', 'It runs now and later in this project without a question.'],
  ],
  network: [
    ['no', 'No', 'It runs without the network.'],
    ['once', 'Once', 'It runs with the network now. The next time you are asked again.'],
    ['always', 'Always', 'It may use the network in this project, until one of the files above changes.'],
  ],
  proposal: [
    ['no', 'No', 'Nothing changes, and the report tells the model.'],
    ['once', 'Yes', 'This change is made. You are asked about the next one.'],
    ['always', 'Yes to all', 'This change and all further proposals of this reply are made.'],
  ],
  tried: [
    ['no', 'No', 'Its changes are dropped, and the report tells the model.'],
    ['once', 'Keep', 'Its changes stay. The next time you are asked again.'],
    ['always', 'Keep, always allow', 'Its changes stay, and it may run in this project without a question.'],
  ],
}

function TriedFacts({ tried }: { tried: TrialRun }) {
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
