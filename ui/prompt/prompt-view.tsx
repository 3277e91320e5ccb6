/** What to tell a model so that it writes blocks for this project. */
export function PromptView() {
  return (
    <section class="intake">
      <h2>Prompt and context</h2>
    </section>
  )
}
