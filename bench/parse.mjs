import { parseSham } from '../packages/clada/dist/index.js'
import { compare, median, timed } from './measure.mjs'

function document(bytes) {
  const block = (i) =>
    [
      `Some prose about change ${i}, as models write it.`,
      '',
      '#!SHAM [@three-char-SHA-256: a1b]',
      'action = "file_write"',
      `path = "/project/src/module-${i}.ts"`,
      "content = <<'EOT_SHAM_a1b'",
      ...Array.from(
        { length: 120 },
        (_, line) => `export const value${line} = compute(${line}, "text") // line ${line} of ${i}`,
      ),
      'EOT_SHAM_a1b',
      '#!END_SHAM_a1b',
      '',
    ].join('\n')
  let text = ''
  for (let i = 0; text.length < bytes; i++) text += block(i)
  // One flat string, as it comes from a file.
  return Buffer.from(text).toString()
}

const malformed = (count) =>
  '#!SHAM [@three-char-SHA-256: bad]\nkey = unquoted\nno assignment\n#!END_SHAM_bad\n'.repeat(count)

export function againstSplit() {
  const text = document(10_000_000)
  parseSham(text)
  return compare(
    15,
    () => timed(() => parseSham(text)),
    () => timed(() => text.split('\n')),
  )
}

/** How the time grows when broken input doubles; 2 is linear. */
export function growthOnMalformed() {
  const times = [50_000, 100_000].map((count) => {
    const text = malformed(count)
    return median(Array.from({ length: 5 }, () => timed(() => parseSham(text))))
  })
  return { ours: times[1], peer: times[0], ratio: times[1] / times[0] }
}
