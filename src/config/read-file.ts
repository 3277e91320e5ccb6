import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import { isThere } from './places.ts'
import type { Fault } from './tree.ts'

/** No config is larger, and a parser must not be kept busy by one that is. */
const mostBytes = 128 * 1024

/** The bytes of a config file, or why it cannot be read; undefined when it does not exist. */
export function readConfigFile(
  file: string,
  links: 'followed' | 'refused',
): { readonly text: string } | Fault | undefined {
  const fault = (message: string): Fault => ({ at: { line: 1, column: 1 }, message })
  let fd: number
  try {
    const follow = links === 'followed' ? 0 : (fs.constants.O_NOFOLLOW ?? 0)
    fd = fs.openSync(file, fs.constants.O_RDONLY | follow | (fs.constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    // A link to nowhere is there, and wrong.
    if (code === 'ENOENT' && !isThere(file)) return undefined
    if (code === 'ENOTDIR') return undefined
    if (code === 'ELOOP') return fault('This is a symbolic link, and a project’s config must be a file of the project.')
    return fault(`This cannot be read: ${code}.`)
  }
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile())
      return fault(`This is ${stat.isDirectory() ? 'a directory' : 'no ordinary file'}, not a config file.`)
    if (stat.size > mostBytes) return fault(`This file has ${stat.size} bytes; a config has at most ${mostBytes}.`)
    const bytes = fs.readFileSync(fd)
    if (isUtf8(bytes)) return { text: bytes.toString('utf8') }
    return { at: placeOfBroken(bytes), message: 'This is not valid UTF-8. Save the file as UTF-8.' }
  } finally {
    fs.closeSync(fd)
  }
}

/** A line break is never part of another character, so lines can be looked at one by one. */
function placeOfBroken(bytes: Buffer): Fault['at'] {
  let line = 1
  for (let start = 0; start <= bytes.length; line++) {
    const end = bytes.indexOf(10, start)
    const whole = bytes.subarray(start, end === -1 ? bytes.length : end)
    if (!isUtf8(whole)) return { line, column: whole.toString('utf8').indexOf('\ufffd') + 1 }
    start += whole.length + 1
  }
  return { line: 1, column: 1 }
}
