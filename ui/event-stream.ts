/** What the server says by itself, one event after another. The browser's own way could not send our key. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? []
      if (event !== undefined && data !== undefined) yield { event, data }
    }
  }
}
