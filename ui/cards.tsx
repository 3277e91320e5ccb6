import type { Question } from '../src/ui/protocol.ts'
import { visible } from '../src/cli/visible.ts'
import { answer } from './actions.ts'
import { Button } from './button.tsx'
import { page } from './store.ts'

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
  const { id, command, about, runs, root, changed, installs, repository, from } = question
  const wants = about === 'network' ? 'use the network' : 'run a command'
  return (
    <article class="card" aria-labelledby={`question-${id}`}>
      <h2 id={`question-${id}`}>
        {from === 'page' ? `The reply wants to ${wants}` : `Another clada in this project wants to ${wants}`}
      </h2>
      <pre class="command" tabIndex={0}>
        {visible(command)}
      </pre>
      <dl>
        <dt>Where</dt>
        <dd>
          <bdi class="mono">{visible(root)}</bdi>
        </dd>
        <dt>It runs</dt>
        <dd>
          {runs === undefined ? (
            'Whatever this runs; the project does not say what.'
          ) : (
            <bdi class="mono">{visible(runs)}</bdi>
          )}
        </dd>
        <dt>Network</dt>
        <dd>
          {about === 'network'
            ? 'It seems to need it. With it, it can send away what it can read. No: it runs without.'
            : 'None, where there is a sandbox. You are asked when it seems to need it.'}
        </dd>
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
      {changed && <p class="alert warn">You approved it before, but what it runs has changed.</p>}
      <div class="row">
        <Button kind="danger" act={() => answer(question, 'no')}>
          No
        </Button>
        <Button act={() => answer(question, 'once')}>Once</Button>
        <Button act={() => answer(question, 'always')} hint="In this project, as long as it runs the same">
          Always
        </Button>
      </div>
    </article>
  )
}
