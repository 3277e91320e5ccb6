/** What a person at the keyboard does. */
export interface Keyboard {
  /** One key: a character, or `enter`, `escape`, `ctrl-c`, `ctrl-d`, `ctrl-z`. */
  readonly onKey: (key: string) => void
  /** A text that was pasted: it is no keys, whatever is in it. */
  readonly onPaste: (text: string) => void
}

/** Reads keys from a terminal one by one, until the answer is called. */
export function readKeys(input: NodeJS.ReadStream, write: (text: string) => void, keyboard: Keyboard): () => void {
  const reader = makeKeyReader(keyboard)
  const onData = (chunk: Buffer | string): void => reader(String(chunk))
  input.setEncoding('utf8')
  input.setRawMode(true)
  input.on('data', onData)
  input.resume()
  write(pasteOn)
  const restore = (): void => write(pasteOff)
  process.once('exit', restore)
  return () => {
    process.off('exit', restore)
    input.off('data', onData)
    input.setRawMode(false)
    input.pause()
    restore()
  }
}

const pasteOn = '\u001b[?2004h'
const pasteOff = '\u001b[?2004l'
const pasteBegins = '\u001b[200~'
const pasteEnds = '\u001b[201~'

/** More characters at once than a person types: a paste on a terminal that does not say so. */
const maxTyped = 6

/** Tells keys and pasted text apart. */
export function makeKeyReader({ onKey, onPaste }: Keyboard): (chunk: string) => void {
  let pasted: string | undefined
  return (chunk) => {
    let rest = chunk
    while (rest !== '') {
      if (pasted !== undefined) {
        const whole: string = pasted + rest
        const end = whole.indexOf(pasteEnds)
        if (end === -1) {
          pasted = whole
          return
        }
        pasted = undefined
        rest = whole.slice(end + pasteEnds.length)
        // Terminals send line breaks as the Enter key does.
        onPaste(whole.slice(0, end).replaceAll(/\r\n?/g, '\n'))
        continue
      }
      const begin = rest.indexOf(pasteBegins)
      typed(begin === -1 ? rest : rest.slice(0, begin))
      if (begin === -1) return
      pasted = ''
      rest = rest.slice(begin + pasteBegins.length)
    }
  }

  function typed(text: string): void {
    const plain = text.replace(sequences, '')
    if (plain.length > maxTyped) return onPaste(plain.replaceAll(/\r\n?/g, '\n'))
    for (const char of plain) onKey(names[char] ?? char)
  }
}

/** Arrows and the like. */
// eslint-disable-next-line no-control-regex -- they begin with one
const sequences = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.)/g

const names: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u001b': 'escape',
  '\u0003': 'ctrl-c',
  '\u0004': 'ctrl-d',
  '\u001a': 'ctrl-z',
}
