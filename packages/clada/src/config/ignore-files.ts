import { withoutBom } from '@clada/reply/core/source.ts'
import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import path from 'node:path'
import { parseIgnoreRules } from '@clada/reply/text/ignore-rules.ts'
import { hasCode } from '../core/errors.ts'
import { isInside, withSlashes } from '../core/paths.ts'
import { foldedName, gitName, ignoreFileNames } from '../core/reserved-names.ts'
import { type IgnoreFile, SettingsError } from '../core/settings.ts'
import { readSmallFile } from './small-file.ts'

/**
 * The ignore files for agents that apply to a directory: its own, and those above it up to the top of its repository, or
 * up to `outer`. @throws SettingsError where one cannot be read: nothing says what it blocks
 */
export function ignoreFilesFor(dir: string, outer: string | undefined): IgnoreFile[] {
  return dirsUpTo(topFor(dir, outer), dir).flatMap((one) =>
    ignoreFileNames.flatMap((name) => readIgnoreFile(one, name)),
  )
}

function topFor(dir: string, outer: string | undefined): string {
  if (outer !== undefined && isInside(dir, outer)) return outer
  for (let at = dir; at !== path.dirname(at); at = path.dirname(at))
    if (fs.existsSync(path.join(at, gitName))) return at
  return dir
}

function dirsUpTo(top: string, dir: string): string[] {
  return dir === top || dir === path.dirname(dir) ? [dir] : [...dirsUpTo(top, path.dirname(dir)), dir]
}

/** No ignore file is larger, and each rule is tried on every file of a project. */
const mostBytes = 128 * 1024
const mostRules = 1000

function readIgnoreFile(dir: string, name: string): IgnoreFile[] {
  const file = path.join(dir, name)
  const wrong = (why: string): SettingsError =>
    new SettingsError(`${withSlashes(file)} ${why}. It says what models may not read, so nothing runs without it.`)
  let bytes: Buffer | undefined
  try {
    bytes = readSmallFile(file, { most: mostBytes, links: 'followed' })
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return []
    throw wrong('cannot be read')
  }
  if (bytes === undefined) throw wrong(`is not a regular file of at most ${mostBytes / 1024} kB`)
  if (!isUtf8(bytes)) throw wrong('is not valid UTF-8')
  const text = withoutBom(bytes.toString('utf8'))
  const rules = parseIgnoreRules(foldedName(text), '')
  if (rules.length > mostRules) throw wrong(`has more than ${mostRules} rules`)
  return [{ name, dir, text, rules }]
}
