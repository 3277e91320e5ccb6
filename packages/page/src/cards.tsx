import { answer } from './actions.ts'
import { QuestionCard } from './question.tsx'
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
        <QuestionCard key={question.id} question={question} answer={(said) => answer(question, said)} />
      ))}
    </section>
  )
}
