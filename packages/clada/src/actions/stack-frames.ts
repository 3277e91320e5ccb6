import { formatCount } from '@clada/reply/core/words.ts'

/**
 * Where an error came through code that is not the project's: the runtime, the standard library, installed packages. The
 * first frame of such a stretch tells what was called; the others are counted.
 */
export function foldForeignFrames(text: string): string {
  const lines = text.split('\n')
  const kept: string[] = []
  for (let at = 0; at < lines.length;) {
    const frames = foreignFramesAt(lines, at)
    const [first, ...others] = frames
    const taken = frames.reduce((sum, { size }) => sum + size, 0)
    if (first === undefined || taken - first.size < leastFolded) {
      const size = Math.max(1, taken)
      kept.push(...lines.slice(at, at + size))
      at += size
      continue
    }
    const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? ''
    kept.push(
      ...lines.slice(at, at + first.size),
      `${indent}... ${formatCount(others.length, 'more frame', 'more frames')} outside the project`,
    )
    at += taken
  }
  return kept.join('\n')
}

/** Lines. */
const leastFolded = 2

interface ForeignFrame {
  readonly size: number
}

/** The frames that follow each other from this line on. */
function foreignFramesAt(lines: readonly string[], start: number): ForeignFrame[] {
  const frames: ForeignFrame[] = []
  for (let at = start; ;) {
    const size = sizeOfForeignFrame(lines, at)
    if (size === 0) return frames
    frames.push({ size })
    at += size
  }
}

/** How many lines this frame takes; 0 for another line and for a frame of the project. */
function sizeOfForeignFrame(lines: readonly string[], at: number): number {
  const line = lines[at] ?? ''
  if (foreignLine.test(line)) return 1
  if (/^\s+\d+: \S/.test(line) && foreignRust.test(lines[at + 1] ?? '')) return 2
  const python = foreignPython.exec(line)
  if (python === null) return 0
  // The source of the frame, and what underlines a part of it.
  const source = `${python[1] ?? ''}  `
  let size = 1
  while (size < 3 && lines[at + size]?.startsWith(source) === true) size++
  return size
}

/** In one line: Node.js, Java and Kotlin, Ruby. */
const foreignLine = new RegExp(
  [
    String.raw`^\s+at .*\(?(?:node:|file:\/\/\/\S*\/node_modules\/|\/\S*\/node_modules\/)\S+:\d+:\d+\)?$`,
    String.raw`^\s+at (?:[\w.]+@?[\w.]*\/)?(?:java|javax|jdk|sun|kotlin|scala|org\.junit|org\.gradle|org\.apache\.maven|org\.codehaus|junit)\.[\w.$]+\S*\(.*\)$`,
    String.raw`^\s+(?:\d+: )?from (?:<internal:|\/usr\/\S*\/ruby\/|\/\S*\/gems\/)\S.*$`,
  ].join('|'),
)

const foreignRust = /^\s+at (?:\/rustc\/|\S*\/\.cargo\/registry\/|\S*\/rustlib\/)\S+$/

const foreignPython = /^(\s*)File "(?:[^"]*\/site-packages\/|[^"]*\/lib\/python[\d.]+\/|<frozen )[^"]*", line \d+/
