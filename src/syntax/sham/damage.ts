import { cleanLine, isFence, Markers, unquoted, type View, type Walked, type WalkThrough } from '../damage.ts'
import { parseAssignment } from './assignment.ts'
import { bare, delimiterOf, type Name, parseEnd, parseHeader } from './lines.ts'
import { plainMarker, undamaged } from '../../text/undamage.ts'

export const walkSham: WalkThrough = (view, start) => {
  const header = view.line(start) ?? ''
  const found = parseHeader(plainMarker(header))
  if (found === undefined || found.mistake !== undefined) return undefined
  const markers = new Markers()
  markers.add(start, cleanLine(header), header)
  return walkBody(view, start, found.name, markers)
}

function walkBody(view: View, start: number, name: Name, markers: Markers): Walked | undefined {
  for (let n = start + 1; ; n++) {
    const line = view.line(n)
    if (line === undefined) return undefined
    const plain = plainMarker(line)
    if (plain === '') {
      if (line.trim() !== '') markers.add(n, '', line)
      continue
    }
    if (isFence(line)) {
      markers.addFence(n)
      continue
    }
    const end = parseEnd(plain, name)
    if (end === null && markers.admits(line)) {
      markers.add(n, cleanLine(line), line)
      return { start, end: n, markers: markers.list }
    }
    if (end !== undefined || parseHeader(plain) !== undefined) return undefined
    const { clean, shell } = assignment(line, plain, name)
    // What cannot be recognised is left for the reader to report, as long as it is spelled like a parameter.
    if (clean === undefined && !line.includes('=')) return undefined
    markers.add(n, clean ?? line, shell)
    if (parseAssignment(clean ?? line, name).opens === undefined) continue
    const close = closing(view, n, name, markers)
    if (close === undefined) return undefined
    n = close
  }
}

/** The line that closes the heredoc opened on `line`. */
function closing(view: View, line: number, name: Name, markers: Markers): number | undefined {
  const delimiter = delimiterOf(name)
  for (let n = line + 1; ; n++) {
    const text = view.line(n)
    if (text === undefined) return undefined
    const plain = plainMarker(text)
    if (bare(plain) === delimiter && markers.admits(text)) {
      markers.add(n, cleanLine(text), text)
      return n
    }
    if (plain.includes(`<<'${delimiter}`) && parseAssignment(plain, name).opens === delimiter) return undefined
  }
}

function assignment(line: string, plain: string, name: Name): { clean?: string; shell: string } {
  const asItIs = parseAssignment(line, name)
  const isAction = asItIs.key === 'action' && asItIs.value !== undefined
  if (asItIs.mistake === undefined && !(isAction && plain !== line.trim()))
    return { clean: line, shell: shellOf(line, asItIs.opens) }
  // Where the key belongs is not damage: a block that is indented as a whole is read without its indentation.
  if (/^[ \t]/.test(line)) return { shell: line }
  const repaired = parseAssignment(plain, name)
  if (repaired.opens !== undefined && repaired.mistake === undefined) return { clean: plain, shell: line }
  return quotedAssignment(line)
}

/** Of a line that is as it should be, what is not value. */
const shellOf = (line: string, opens: string | undefined): string =>
  opens === undefined ? line.replace(/"(.*)"/s, '""') : line

/** `key = "value"` with damage to anything but the value, which is content and stays as it is. */
function quotedAssignment(line: string): { clean?: string; shell: string } {
  const equals = line.indexOf('=')
  const key = plainMarker(line.slice(0, equals).replace(/\\$/, ''))
  const value = unquoted(line.slice(equals + 1))
  if (equals === -1 || value === undefined || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key)) return { shell: line }
  const { inner, quotes } = value
  // The name of an action is a marker too.
  if (key === 'action' && /^\w+$/.test(plainMarker(inner))) {
    return { clean: `action = "${plainMarker(inner)}"`, shell: line }
  }
  const shell = `${line.slice(0, equals + 1)} ${quotes}`
  if (isJson(inner)) return { clean: `${key} = "${inner}"`, shell }
  // JSON knows no such escapes: where all backslashes are of that kind there is one way to read the value.
  const unescaped = /\\["\\/bfnrtu]/.test(inner) ? inner : undamaged(inner, ['escapes'])
  return isJson(unescaped) ? { clean: `${key} = "${unescaped}"`, shell: line } : { shell: line }
}

function isJson(inner: string): boolean {
  try {
    JSON.parse(`"${inner}"`)
    return true
  } catch {
    return false
  }
}
