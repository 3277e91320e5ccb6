import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { imitationOf, products } from './imitations.ts'

/** Pages that show a reply as chat pages do: token by token, each kind in its own markup. */

/** Splits Markdown at its fences, as far as these pages need it. */
const markdown = `
const parts = (text) => text.split(/^(\`{3,}[^\\n]*\\n[\\s\\S]*?(?:^\`{3,}\\n?|$(?![\\s\\S])))/m).filter((one) => one !== '')
const codeIn = (part) => /^\`{3,}([^\\n]*)\\n([\\s\\S]*?)(?:^\`{3,}\\n?)?$/m.exec(part)
const el = (name, className, ...children) => {
  const made = document.createElement(name)
  if (className) made.className = className
  made.append(...children)
  return made
}
const render = (text, code) =>
  parts(text).flatMap((part) => {
    if (part.startsWith('\`\`\`')) {
      const lines = part.split('\\n')
      const language = lines[0].replaceAll('\`', '')
      const closed = /^\`{3,}$/.test(lines.at(-1) || lines.at(-2))
      const body = lines.slice(1, closed ? (lines.at(-1) === '' ? -2 : -1) : undefined).join('\\n')
      return [code(body + '\\n', language)]
    }
    return part.split(/\\n{2,}/).filter((one) => one.trim() !== '').map((one) => el('p', '', one.trim()))
  })
const plainCode = (body, language) => el('pre', '', el('code', 'language-' + language, body))
const stream = async (text, show) => {
  for (let at = 0; at < text.length; at += 24) {
    show(text.slice(0, at + 24))
    await new Promise((resolve) => setTimeout(resolve, 4))
  }
  show(text)
  window.lastToken = performance.now()
}
`

const area = '<textarea id="field" style="width:600px;height:60px"></textarea>'

const pages = {
  /** The reply as it was written. */
  plain: `<main><div id="log"></div>${area}</main><script>${markdown}
    window.reply = (text) => {
      const message = el('div', 'message')
      message.style.whiteSpace = 'pre-wrap'
      document.getElementById('log').append(message)
      return stream(text, (shown) => { message.textContent = shown })
    }</script>`,
  /** Highlighted code with line numbers, a header and a copy button. */
  spans: `<main><div id="log"></div>${area}</main><style>.no { color: grey } .line { display: block } .head { display: flex }</style>
    <script>${markdown}
    const code = (body, language) => {
      const rows = body.replace(/\\n$/, '').split('\\n').map((line, at) => {
        const tokens = line.split(/(\\s+|\\b)/).filter((one) => one !== '').map((one) => el('span', /^\\d+$/.test(one) ? 'num' : 't', one))
        return el('span', 'line', el('span', 'no', String(at + 1)), ...tokens)
      })
      const copy = el('button', '', 'Copy code')
      copy.onclick = () => navigator.clipboard.writeText(body)
      return el('pre', '', el('div', 'head', el('span', '', language), copy), el('div', 'scroll', el('code', 'hljs language-' + language, ...rows)))
    }
    window.reply = (text) => {
      const message = el('div', 'message')
      document.getElementById('log').append(el('div', 'turn', el('div', 'avatar', 'AI'), message))
      return stream(text, (shown) => message.replaceChildren(...render(shown, code)))
    }</script>`,
  /** Only what is in sight is in the document. */
  virtual: `<main><div id="list" style="height:420px;overflow:auto"><div id="space"></div></div>${area}</main><script>${markdown}
    const list = document.getElementById('list'), space = document.getElementById('space')
    space.style.position = 'relative'
    const all = Array.from({ length: 200 }, (_, at) => 'Message ' + at + '\\n\\nNothing to do.')
    const height = 260
    const draw = () => {
      space.style.height = all.length * height + 'px'
      const first = Math.max(0, Math.floor(list.scrollTop / height) - 1)
      const before = new Map([...space.children].map((item) => [item.at + item.text, item]))
      const items = all.slice(first, first + 4).map((text, at) => {
        const same = before.get(first + at + text)
        if (same) return same
        const item = el('div', 'item', el('div', 'body', ...render(text, plainCode)))
        item.style.cssText = 'position:absolute;top:' + (first + at) * height + 'px;min-height:' + height + 'px'
        return Object.assign(item, { at: first + at, text })
      })
      for (const item of before.values()) if (!items.includes(item)) item.remove()
      for (const item of items) if (!item.isConnected) space.append(item)
    }
    list.onscroll = draw
    window.draw = draw
    window.reply = async (text) => {
      all.push('')
      await stream(text, (shown) => { all[all.length - 1] = shown; draw(); list.scrollTop = 1e9 })
    }
    draw()</script>`,
  /** Everything in closed shadows. */
  shadow: `<chat-app></chat-app><script>${markdown}
    customElements.define('chat-message', class extends HTMLElement {
      constructor() { super(); this.root = this.attachShadow({ mode: 'closed' }) }
      set text(text) { this.root.replaceChildren(el('div', 'body', ...render(text, plainCode))) }
    })
    customElements.define('chat-app', class extends HTMLElement {
      constructor() {
        super()
        const root = this.attachShadow({ mode: 'closed' })
        const log = el('section', 'log'), field = el('textarea', '')
        field.style.cssText = 'width:600px;height:60px'
        root.append(log, field)
        window.fieldText = () => field.value
        window.reply = (text) => {
          const message = document.createElement('chat-message')
          log.append(message)
          return stream(text, (shown) => { message.text = shown })
        }
      }
    })</script>`,
  /** An editor in place of a text area, which takes what is pasted by itself. */
  editor: `<main><article id="log"></article><div id="field" contenteditable="true" style="min-height:60px;width:600px;white-space:pre-wrap;border:1px solid"></div></main><script>${markdown}
    const field = document.getElementById('field')
    field.addEventListener('paste', (event) => {
      event.preventDefault()
      const lines = event.clipboardData.getData('text/plain').split('\\n')
      field.append(...lines.map((line) => el('p', '', line || document.createElement('br'))))
    })
    window.fieldText = () => [...field.children].map((one) => one.textContent).join('\\n')
    window.reply = (text) => {
      const message = el('div', 'message')
      document.getElementById('log').append(message)
      return stream(text, (shown) => message.replaceChildren(...render(shown, plainCode)))
    }</script>`,
  /** For pages that a test writes itself. */
  empty: `<main><div id="log"></div>${area}</main><script>${markdown}</script>`,
} as const

export type PageKind = keyof typeof pages
export const chatKinds = ['plain', 'spans', 'virtual', 'shadow', 'editor'] as const satisfies readonly PageKind[]

export interface ChatSite {
  readonly origin: string
  close(): Promise<void>
}

/** A web site with one address for each kind of page; `/frame?URL` shows another page in a frame. */
export async function chatSite(): Promise<ChatSite> {
  const server = http.createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?', 2)
    const product = products.find((name) => path === `/${name}`)
    const kind = product ? imitationOf(product) : Object.entries(pages).find(([name]) => path === `/${name}`)?.[1]
    const frame = `<iframe src="${decodeURIComponent(query)}" style="width:900px;height:600px"></iframe>`
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.statusCode = kind === undefined && path !== '/frame' ? 404 : 200
    response.end(`<!doctype html><meta charset="utf-8"><title>Chat</title>${kind ?? (path === '/frame' ? frame : '')}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
