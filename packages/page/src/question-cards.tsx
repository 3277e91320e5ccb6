import { useEffect, useState } from 'preact/hooks'
import { answerQuestion, look } from './actions.ts'
import { QuestionCard } from './question.tsx'
import { current, looked, page } from './store.ts'

/**
 * The question that waits longest. A card never takes the focus, and its buttons wait for a moment: neither a key nor a
 * click that was meant for something else must say yes. `g` goes to it.
 */
export function Cards() {
  const questions = page.value?.questions ?? []
  const [first, ...others] = questions
  const isArmed = useArmed(first?.id)
  const asking = first?.from === 'page' ? current.value?.key : undefined
  // Beside the question is the block that it is about; whoever looks at another one meanwhile stays there.
  useEffect(() => {
    if (asking !== undefined && looked.value.at === 'block') look({ at: 'block', key: asking })
  }, [first?.id, asking])
  if (first === undefined) return null
  return (
    <section class="cards" aria-label="Questions that wait for your answer" id="cards" tabIndex={-1}>
      <QuestionCard
        key={first.id}
        question={first}
        disabled={!isArmed}
        answer={(said) => answerQuestion(first, said)}
      />
      {others.length > 0 && (
        <p class="quiet">
          {others.length === 1 ? '1 more question follows.' : `${others.length} more questions follow.`}
        </p>
      )}
    </section>
  )
}

/** Milliseconds for which a question must have been there before a click is meant for it. */
const armsAfter = 500

function useArmed(id: number | undefined): boolean {
  const [armed, setArmed] = useState<number>()
  useEffect(() => {
    const timer = setTimeout(() => setArmed(id), armsAfter)
    return () => clearTimeout(timer)
  }, [id])
  return id !== undefined && armed === id
}
