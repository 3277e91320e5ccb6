/** What to tell a model so that it writes blocks for this project. */
export function PromptView() {
  return (
    <section class="intake">
      <h1>Prompt and context</h1>
    </section>
  )
}
