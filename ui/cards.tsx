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
  const { id, command, runs, root, changed, network, from } = question
  return (
    <article class="card" aria-labelledby={`question-${id}`}>
      <h2 id={`question-${id}`}>
        {from === 'page' ? 'The reply wants to run a command' : 'Another clada in this project wants to run a command'}
      </h2>
      <pre class="command" tabIndex={0}>
        {visible(command)}
      </pre>
      <dl>
        <dt>Where</dt>
        <dd>
          <bdi class="mono">{visible(root)}</bdi>
        </dd>
        {runs !== undefined && (
          <>
            <dt>It runs</dt>
            <dd>
              <bdi class="mono">{visible(runs)}</bdi>
            </dd>
          </>
        )}
        <dt>Network</dt>
        <dd>{network ? 'It may use the network.' : 'None, where there is a sandbox.'}</dd>
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
