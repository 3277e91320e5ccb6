/**
 * Pages with the shapes of six chat products: where the label of a language is, what wraps a code block, which field the
 * next message goes into. The markup is our own; the structure is what their pages were seen to have in 2025 and 2026.
 */

/** A reply as elements: paragraphs, headings and lists by `flow`, code blocks by `code`. */
const renderer = `
const el = (name, className, ...children) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}
const inline = (text) => text.split(/(\`[^\`]+\`|\\*\\*[^*]+\\*\\*)/).filter((one) => one !== '').map((one) =>
  one.startsWith('\`') ? el('code', '', one.slice(1, -1)) : one.startsWith('**') ? el('strong', '', one.slice(2, -2)) : one)
const blocksIn = (text) => {
  const found = []
  const lines = text.split('\\n')
  for (let at = 0; at < lines.length; at++) {
    const fence = /^\`\`\`(\\S*)/.exec(lines[at])
    if (fence) {
      const body = []
      while (++at < lines.length && !/^\`\`\`\\s*$/.test(lines[at])) body.push(lines[at])
      found.push({ code: body.join('\\n') + '\\n', language: fence[1] })
    } else if (lines[at].trim() !== '') {
      const last = found.at(-1)
      if (last?.text !== undefined && lines[at - 1]?.trim() !== '') last.text += '\\n' + lines[at]
      else found.push({ text: lines[at] })
    }
  }
  return found
}
const flow = (text, className) => {
  const heading = /^(#+) (.*)$/.exec(text)
  if (heading) return el('h' + heading[1].length, '', ...inline(heading[2]))
  if (/^- /.test(text)) return el('ul', '', ...text.split('\\n').map((line) => el('li', '', ...inline(line.slice(2)))))
  return el('p', className, ...inline(text))
}
const tokens = (code) => code.split(/(\\s+|\\b)/).filter((one) => one !== '').map((one) => /\\w/.test(one) ? el('span', 'token', one) : one)
const stream = async (text, show) => {
  for (let at = 0; at < text.length; at += 40) {
    show(text.slice(0, at + 40))
    await new Promise((resolve) => setTimeout(resolve, 4))
  }
  show(text)
  window.lastToken = performance.now()
}
const say = (make) => (window.reply = (text) => {
  const into = make()
  return stream(text, (shown) => into.element.replaceChildren(...blocksIn(shown).map(({ text, code, language }) => code === undefined ? flow(text, into.paragraph ?? '') : into.code(code, language))))
})
const button = (name) => Object.assign(el('button', '', name), { type: 'button' })
const editable = (field) => { window.fieldText = () => field.innerText }
`

const common = `<style>
  body { margin: 0; font: 15px/1.5 system-ui, sans-serif }
  .sr-only { position: absolute; width: 1px; height: 1px; padding: 0; margin: -1px; overflow: hidden; clip: rect(0, 0, 0, 0); white-space: nowrap; border: 0 }
  pre { margin: 0; overflow-x: auto } .card { border: 1px solid #ddd; border-radius: 10px; margin: 8px 0; overflow: hidden }
  .top { display: flex; justify-content: space-between; padding: 4px 12px; background: #eee; font-size: 12px }
  .thread { height: 560px; overflow-y: auto; padding: 12px 24px } .composer { padding: 8px 24px }
  [contenteditable] { min-height: 44px; border: 1px solid #bbb; border-radius: 8px; padding: 8px }
  textarea { width: 90%; height: 44px }
</style>`

/** By the name of the product whose shape it has. */
export const imitations = {
  /** Everything is in the `pre`: the label, the button, and the code in a scroller. */
  chatgpt: `<main><div class="thread"><article data-turn="user"><h5 class="sr-only">You said:</h5><div data-message-author-role="user"><div class="whitespace-pre-wrap">Please fix it.</div></div></article></div>
    <form class="composer"><div id="prompt-textarea" class="ProseMirror" contenteditable="true"><p><br></p></div></form></main><script>${renderer}
    editable(document.getElementById('prompt-textarea'))
    say(() => {
      const element = el('div', 'markdown prose')
      const turn = el('article', '', el('h6', 'sr-only', 'ChatGPT said:'), el('div', 'message', element), el('div', 'actions', button('Copy'), button('Good response')))
      document.querySelector('.thread').append(turn)
      return { element, code: (code, language) => el('pre', 'overflow-visible', el('div', 'card',
        el('div', 'top', language), el('div', 'sticky', el('div', '', button('Copy code'))),
        el('div', 'p-4', el('code', 'whitespace-pre language-' + language, ...tokens(code))))) }
    })</script>`,
  /** The label is a box above a scroller with the \`pre\`, in a frame of its own. */
  claude: `<div class="thread"><div data-testid="user-message"><p class="whitespace-pre-wrap">Please fix it.</p></div></div>
    <fieldset class="composer"><div class="ProseMirror" contenteditable="true"><p><br></p></div></fieldset><style>.paragraph { white-space: pre-wrap } .grid { display: grid; gap: 10px }</style><script>${renderer}
    editable(document.querySelector('[contenteditable]'))
    say(() => {
      const element = el('div', 'standard-markdown grid')
      document.querySelector('.thread').append(el('div', 'group', el('div', 'font-claude-response', el('div', '', element)), el('div', 'actions', button('Copy'), button('Retry'))))
      return { element, paragraph: 'paragraph', code: (code, language) => el('div', 'relative card',
        el('div', 'sticky', el('div', '', button(''))), el('div', 'text-xs', language),
        el('div', 'overflow-x-auto', el('pre', 'code-block__code', el('code', 'language-' + language, el('span', '', ...tokens(code)))))) }
    })</script>`,
  /** Elements of their own names, a header with a capital, and code without a class for its language. */
  gemini: `<chat-window><div class="thread"><user-query><div class="query-text"><p>Please fix it.</p></div></user-query></div>
    <input-area class="composer"><rich-textarea><div class="ql-editor" contenteditable="true" role="textbox"><p><br></p></div></rich-textarea></input-area></chat-window>
    <style>code-block, response-element, message-content, model-response { display: block } .icon { font-family: 'Icons' }</style><script>${renderer}
    editable(document.querySelector('[contenteditable]'))
    const names = { python: 'Python', js: 'JavaScript', ts: 'TypeScript', sham: 'Sham', text: 'Plaintext' }
    say(() => {
      const element = el('div', 'markdown markdown-main-panel')
      document.querySelector('.thread').append(el('model-response', '', el('message-content', '', element), el('message-actions', '', button('Redo'))))
      return { element, code: (code, language) => el('response-element', '', el('code-block', '', el('div', 'code-block card',
        el('div', 'code-block-decoration top', el('span', '', names[language] ?? language), el('div', 'buttons', button('content_copy'))),
        el('div', 'formatted', el('div', 'animated', el('pre', '', el('code', 'code-container', ...tokens(code)))))))) }
    })</script>`,
  /** A banner with buttons that are no \`button\`, and a \`pre\` without \`code\`. */
  deepseek: `<div id="root"><div class="thread"><div class="ds-message"><div>Please fix it.</div></div></div><div class="composer"><textarea id="field" placeholder="Message"></textarea></div></div><script>${renderer}
    window.fieldText = () => document.getElementById('field').value
    const pressed = (name) => { const made = el('div', 'ds-text-button', el('span', '', name)); made.setAttribute('role', 'button'); return made }
    say(() => {
      const element = el('div', 'ds-markdown')
      document.querySelector('.thread').append(el('div', 'ds-message', element))
      return { element, paragraph: 'ds-markdown-paragraph', code: (code, language) => el('div', 'md-code-block card',
        el('div', 'md-code-block-banner-wrap', el('div', 'top', el('div', '', el('div', '', el('span', '', language))), el('div', '', pressed('Copy'), pressed('Download')))),
        el('pre', '', ...tokens(code))) }
    })</script>`,
  /** Line by line, as a highlighter on the server makes it, with a header whose captions are plain text. */
  copilot: `<div class="thread"><div data-content="user-message">Please fix it.</div></div><div class="composer"><textarea id="userInput" placeholder="Message"></textarea></div><style>.line { display: inline }</style><script>${renderer}
    window.fieldText = () => document.getElementById('userInput').value
    say(() => {
      const element = el('div', 'ai-message-item space-y-3')
      document.querySelector('.thread').append(el('div', 'ai-message', el('h6', 'sr-only', 'Copilot said'), element))
      return { element, code: (code, language) => el('div', 'card',
        el('div', 'top', el('span', 'capitalize', language), el('span', 'captions', el('span', '', 'Copy'), ' ', el('span', '', 'Edit'))),
        el('div', 'scroller', el('pre', 'shiki', el('code', '', ...code.replace(/\\n$/, '').split('\\n').flatMap((line, at) => [...(at ? ['\\n'] : []), el('span', 'line', ...tokens(line))]))))) }
    })</script>`,
  /** The label is in the \`pre\`, the code in a \`code\` that keeps its breaks by a style. */
  perplexity: `<main><div class="thread"><h1>Please fix it.</h1></div><div class="composer"><div id="ask-input" contenteditable="true" role="textbox"><p><br></p></div></div></main><script>${renderer}
    editable(document.getElementById('ask-input'))
    say(() => {
      const element = el('div', 'prose inline')
      document.querySelector('.thread').append(el('div', 'answer', el('div', 'relative', element)))
      return { element, code: (code, language) => {
        const body = el('code', '', el('span', '', ...tokens(code)))
        body.style.whiteSpace = 'pre'
        return el('div', 'codeWrapper card', el('pre', 'not-prose',
          el('div', 'sticky', el('div', '', button('Copy'))), el('div', 'language', el('div', 'indicator', language)), el('div', 'pr-lg', el('span', '', body))))
      } }
    })</script>`,
} as const

export type Product = keyof typeof imitations

export const products: readonly Product[] = ['chatgpt', 'claude', 'gemini', 'deepseek', 'copilot', 'perplexity']

/** A page of a product, with the styles that all of them share. */
export const imitationOf = (product: Product): string => `${common}${imitations[product]}`
