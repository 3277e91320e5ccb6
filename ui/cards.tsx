import type { Tried } from '../src/core/commands.ts'
import type { Question } from '../src/ui/protocol.ts'
import { missingSentence, triedOutput, triedSentence, visible } from '../src/report/words.ts'
import { answer } from './actions.ts'
import { Button } from './button.tsx'
import { inOrder, Name } from './parts.tsx'
import { page } from './store.ts'
import { shown } from './words.ts'

/**
 * Commands that wait for a person. A card never takes the focus: a key that was meant for something else must not
 * say yes. `g` goes to it.
 */
export function Cards() {
  const questions = page.value?.questions ?? []
  if (questions.length === 0) return null
  return (
    <section class="cards" aria-label="Commands that wait for your answer" id="cards" tabIndex={-1}>
      {questions.map((question) => (
        <Card key={question.id} question={question} />
      ))}
    </section>
  )
}

function Card({ question }: { question: Question }) {
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
        <Button kind="danger" act={() => answer(question, 'no')} {...(keep && { hint: 'Its changes are dropped' })}>
          No
        </Button>
        <Button act={() => answer(question, 'once')} {...(keep && { hint: 'Its changes stay, this once' })}>
          {keep ? 'Keep' : 'Once'}
        </Button>
        <Button
          act={() => answer(question, 'always')}
          hint={
            about === 'proposal'
              ? 'All further files of this reply too'
              : keep
                ? 'Its changes stay, and it may run in this project as long as it runs the same'
                : 'In this project, as long as it runs the same'
          }
        >
          {keep ? 'Keep, always allow' : 'Always'}
        </Button>
      </div>
    </article>
  )
}

const wishes = {
  command: 'wants to run a command',
  network: 'wants to use the network',
  proposal: 'has a file to write',
  tried: 'tried a command in the sandbox. Keep its changes?',
} as const satisfies Record<Question['about'], string>

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
