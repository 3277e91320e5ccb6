import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../page/src/button.tsx'
import { StateIcon } from '../../page/src/icons.tsx'
import { isolateParts, Name } from '../../page/src/parts.tsx'
import { QuestionCard } from '../../page/src/question.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { Blocks } from './panel-blocks.tsx'
import {
  sendApproval,
  applicable,
  apply,
  check,
  choose,
  comparison,
  copyResults,
  countStates,
  done,
  insertReport,
  isArmed,
  isUndoing,
  link,
  looked,
  notice,
  opened,
  openInPage,
  pairWith,
  project,
  questions,
  readAgain,
  running,
  stopClada,
  undoApplied,
  undone,
} from './panel-state.ts'

export function Panel() {
  if (opened.value === null) return <Empty />
  return (
    <>
      <Head />
      <main class="scroller" tabIndex={-1}>
        <Content />
      </main>
      <Foot />
    </>
  )
}

const Empty = () => (
  <div class="empty">
    <h1>clada</h1>
    <p>Click the bar under a reply. What it would change is shown here before anything is applied.</p>
  </div>
)

function Head() {
  const reply = opened.value
  const projects = link.value?.kind === 'ready' ? link.value.projects : []
  return (
    <header class="head">
      <h1>
        {project.value === undefined ? (
          'clada'
        ) : projects.length > 1 ? (
          <select
            aria-label="Project"
            value={project.value.id}
            onChange={(event) => void choose(event.currentTarget.value)}
          >
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {spellOut(name)}
              </option>
            ))}
          </select>
        ) : (
          <Name of={project.value.name} />
        )}
      </h1>
      <p class="quiet">
        Reply on <Name of={new URL(reply?.site ?? 'about:blank').host} />
      </p>
      {looked.value !== null && (
        <Button act={openInPage} hint="Choose changes one by one, edit them, see the history">
          Open in clada
        </Button>
      )}
    </header>
  )
}

function Content() {
  switch (link.value?.kind) {
    case 'unpaired':
      return <Pairing />
    case 'stopped':
      return (
        <div class="notice">
          <p>clada is not running.</p>
          <p class="quiet">
            Start <code>clada ui</code> in your project. The reply is shown here as soon as it runs.
          </p>
        </div>
      )
    case 'choose':
      return <Choosing />
    case 'ready':
    case undefined:
      return looked.value === null ? <Checking /> : <Review />
  }
}

/** Said only when it takes long enough to be wondered about. */
function Checking() {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 300)
    return () => clearTimeout(timer)
  }, [])
  return isLate && notice.value === null ? <p class="notice quiet">Checking…</p> : null
}

function Pairing() {
  const [code, setCode] = useState('')
  return (
    <form
      class="notice"
      onSubmit={(event) => {
        event.preventDefault()
        void pairWith(code)
      }}
    >
      <p>Pair this browser with clada, once for all your projects.</p>
      <label>
        <span>
          Code that <code>clada ui</code> prints in the terminal
        </span>
        <input
          id="code"
          autocomplete="off"
          placeholder="17345-ABCD-EFGH"
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <button class="button primary" type="submit">
        Pair
      </button>
    </form>
  )
}

function Choosing() {
  if (link.value?.kind !== 'choose') return null
  const { projects, isGone } = link.value
  return (
    <div class="notice">
      <p>
        {isGone ? 'The project of this site is not running. Apply to another one?' : 'Which project is this reply for?'}
      </p>
      <ul class="choices">
        {projects.map(({ id, name, port }) => (
          <li key={id}>
            <Button act={() => choose(id)}>
              <Name of={name} /> <span class="quiet">port {port}</span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Review() {
  const { fatal, warnings = [], blocks = [] } = looked.value ?? {}
  return (
    <>
      <PageNotes />
      {fatal !== undefined && <p class="alert bad">{spellOut(fatal)}</p>}
      {warnings.map((warning) => (
        <p key={warning} class="alert warn">
          {spellOut(warning)}
        </p>
      ))}
      {questions.value.length > 0 && (
        <section class="cards" aria-label="Questions that wait for your answer">
          {questions.value.map((question) => (
            <QuestionCard
              key={question.id}
              question={question}
              disabled={!isArmed.value}
              answer={(said) => sendApproval(question, said)}
            />
          ))}
        </section>
      )}
      <Blocks blocks={blocks} />
      {done.value !== null && (
        <details class="raw">
          <summary>The report for the model</summary>
          <pre tabIndex={0}>{isolateParts(spellOut(done.value.answer))}</pre>
        </details>
      )}
      <details class="raw">
        <summary>The text that was read</summary>
        <pre tabIndex={0}>{isolateParts(spellOut(opened.value?.text ?? ''))}</pre>
      </details>
    </>
  )
}

/** How this differs from what the page shows. */
function PageNotes() {
  const reply = opened.value
  if (reply === null) return null
  const isPending = done.value === null && running.value === null
  const again = <Button act={readAgain}>Read again</Button>
  return (
    <>
      {reply.isIncomplete && (
        <div class="alert bad" role="alert">
          <p>
            The page shows only a part of a code block, so this reply cannot be applied from here. Expand the code on
            the page, or scroll through it, and read again. Its copy button and <code>clada ui</code> work as well.
          </p>
          {again}
        </div>
      )}
      {isPending && comparison.value === 'changed' && (
        <div class="alert warn" role="status">
          <p>The page shows a different text now. What you see here is what would be applied.</p>
          {again}
        </div>
      )}
      {isPending && comparison.value === 'gone' && (
        <p class="alert warn" role="status">
          The reply is not on the page any more. What you see here is what would be applied.
        </p>
      )}
      <LeftOutTexts />
    </>
  )
}

function LeftOutTexts() {
  const left = opened.value?.left ?? []
  if (left.length === 0) return null
  const isSuspect = left.some(({ text, isInCode }) => isInCode || text.length > harmless)
  return (
    <details class={`left-texts ${isSuspect ? 'alert warn' : 'quiet'}`}>
      <summary>
        {formatCount(left.length, 'text')} that the page does not show {left.length === 1 ? 'was' : 'were'} left out
      </summary>
      <ul>
        {left.slice(0, mostLeft).map(({ why, text }, index) => (
          <li key={index}>
            <span class="quiet">{why}: </span>
            <code>{isolateParts(spellOut(text.slice(0, longestLeft)))}</code>
            {text.length > longestLeft && <span class="quiet"> … {text.length - longestLeft} more characters</span>}
          </li>
        ))}
        {left.length > mostLeft && <li class="quiet">and {left.length - mostLeft} more</li>}
      </ul>
    </details>
  )
}

/** Pages have short texts for screen readers, such as "The assistant said:". */
const harmless = 40
const mostLeft = 50
const longestLeft = 2000

function Foot() {
  if (looked.value === null) return notice.value === null ? null : <Failed />
  return (
    <footer class="apply">
      {notice.value !== null && (
        <p class={`alert ${notice.value.kind}`} role="status">
          {spellOut(notice.value.text)}
        </p>
      )}
      <UndoResult />
      {running.value !== null ? <Progress /> : done.value !== null ? <Done /> : <Decision />}
    </footer>
  )
}

const Failed = () => (
  <footer class="apply">
    <p class="alert bad" role="alert">
      {spellOut(notice.value?.text ?? '')}
    </p>
    <div class="row">
      <Button act={check}>Check again</Button>
    </div>
  </footer>
)

function Decision() {
  const { blocks = [], fatal } = looked.value ?? {}
  const count = applicable.value.length
  const asking = applicable.value.filter(({ state }) => state === 'approval').length
  const failing = blocks.filter(({ state }) => cannot.has(state)).length
  const total = count + failing
  const isOff = !isArmed.value || fatal !== undefined || opened.value?.isIncomplete === true
  const notes = [
    ...(asking === 0 ? [] : [`${asking} ${asking === 1 ? 'needs' : 'need'} your approval`]),
    ...(failing === 0 ? [] : [`${failing} cannot be applied`]),
  ]
  return (
    <>
      {notes.length > 0 && <p class="quiet">{notes.join(', ')}.</p>}
      <div class="row">
        {failing > 0 && (
          <Button act={copyResults} hint="Tells the model what would fail. Nothing is applied.">
            Copy report
          </Button>
        )}
        {count > 0 && (
          <Button kind="primary" act={apply} disabled={isOff}>
            {count === total ? (count === 1 ? 'Apply' : `Apply all ${count}`) : `Apply ${count} of ${total}`}
          </Button>
        )}
        {total === 0 && <p class="quiet">There is nothing to apply.</p>}
      </div>
    </>
  )
}

const cannot = new Set(['refused', 'fails', 'broken'])

function Progress() {
  const { done: count, total } = running.value ?? { done: 0, total: 0 }
  const isWaiting = questions.value.length > 0
  return (
    <div class="row">
      {isWaiting ? (
        <p class="ask-note">Waiting for your answer</p>
      ) : (
        <>
          <progress max={total} value={count} aria-label="Progress" />
          <span class="quiet nowrap">
            {count} of {total}
          </span>
        </>
      )}
      <Button kind="danger" act={stopClada}>
        Stop
      </Button>
    </div>
  )
}

function Done() {
  if (done.value === null) return null
  const { remarks, canUndo, results } = done.value
  const { applied, failed } = countStates(results)
  return (
    <>
      {remarks.map((remark) => (
        <p key={remark} class="alert warn">
          {spellOut(remark)}
        </p>
      ))}
      <p class="result" role="status">
        {applied > 0 && (
          <span class="state-done">
            <StateIcon mark="done" /> {applied} applied
          </span>
        )}
        {failed > 0 && (
          <span class="state-failed">
            <StateIcon mark="failed" /> {failed} failed
          </span>
        )}
      </p>
      <div class="row">
        {canUndo && (
          <Button act={undoApplied} hint="Restores the files as they were before" disabled={isUndoing.value}>
            {isUndoing.value ? 'Undoing…' : 'Undo'}
          </Button>
        )}
        <Button act={copyResults}>Copy report</Button>
        <Button kind="primary" act={insertReport} hint="Into the message field of the page. You send it yourself.">
          Insert report
        </Button>
      </div>
    </>
  )
}

function UndoResult() {
  if (undone.value === null) return null
  const { success, restored, conflicts, why = '' } = undone.value
  if (success)
    return (
      <p class="alert good" role="status">
        Undone: {formatCount(restored.length, 'file')} restored.
      </p>
    )
  return (
    <div class="alert bad" role="alert">
      <p>{conflicts.length > 0 ? 'Nothing was undone, because these files changed since:' : spellOut(why)}</p>
      <ul>
        {conflicts.map(({ path, reason }) => (
          <li key={path}>
            <Name named="mono" of={path} />
            {reason !== '' && `: ${spellOut(reason)}`}
          </li>
        ))}
      </ul>
      {conflicts.length > 0 && <Button act={openInPage}>Merge in clada</Button>}
    </div>
  )
}
