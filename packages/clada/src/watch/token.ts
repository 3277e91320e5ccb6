import { isSameSecret } from '../core/digest.ts'
import fs from 'node:fs'
import path from 'node:path'
import type { Document } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { putFile } from '../state/own-files.ts'
import { makePrivateDir, rootName, userStateDir } from '../state/user-state.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { removeDamage } from '@clada/reply/text/undamage.ts'

/**
 * The word that marks a copied reply as meant for clada: `clada prompt` gives it to the model, and it cannot be guessed.
 * It is in the user's own state directory, because the prompt and the watcher are two processes.
 * Each call counts as use; after a day without use, or with `renew`, a new token is made.
 */
export function sessionToken(root: string, { renew = false }: { readonly renew?: boolean } = {}): string {
  const state = userStateDir(root)
  const file = state && path.join(state, 'session', rootName(root).slice(0, 32))
  const kept = renew ? undefined : ((file && keptIn(file)) ?? perProcess.get(root))
  if (kept !== undefined) return kept
  const token = newToken()
  // Where two make one at the same time, both take the one that stayed.
  if (file !== undefined && keepToken(file, token)) return keptIn(file) ?? token
  perProcess.set(root, token)
  return token
}

/**
 * What a prompt says about the token. The two halves never touch in it, so a copied prompt, which is full of example
 * blocks, is not taken for a reply, however its lines are wrapped.
 */
export const tokenInstruction = (token: string): string =>
  `Begin your reply with a line that contains only \`clada:\` directly followed by \`${token}\` (nothing between them), outside any block.`

/** Whether a text quotes what `tokenInstruction` says, also as a chat program shows it. */
export const quotesInstruction = (text: string): boolean => /`?clada:`?\s+directly\s+followed\s+by/.test(text)

/**
 * Whether a line `clada:TOKEN` is outside blocks. What a chat program puts around it does no harm, the token itself
 * must be exact. Where a block was never closed, nothing tells its content from what follows, so nothing there counts.
 */
export function carriesToken(text: string, token: string, found?: ReadBlocks): boolean {
  if (!text.includes(token)) return false
  const source = new Source(text)
  const inside = linesInside(found ?? findBlocks(source), source.lineCount)
  let carries = false
  for (let at = text.indexOf(token); at !== -1;) {
    const line = source.lineAt(at)
    if (inside[line] === 0 && isSameSecret(tokenOn(source.line(line)), token)) carries = true
    at = text.indexOf(token, source.endOf(line))
  }
  return carries
}

type ReadBlocks = Pick<Document, 'blocks' | 'diagnostics' | 'notExecuted'>

/** Crockford's letters: none looks like another, and none means anything to markdown. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'
const tokenLength = 20
const isToken = new RegExp(`^[${letters}]{${tokenLength}}$`)
const newToken = (): string => Array.from(crypto().randomBytes(tokenLength), (byte) => letters[byte & 31]).join('')

/** Where the state directory cannot be used, a token lives as long as the process. */
const perProcess = new Map<string, string>()
const unusedMs = 24 * 60 * 60 * 1000

function keptIn(file: string): string | undefined {
  const now = Date.now()
  let descriptor
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    const { mtimeMs, mode, uid } = fs.fstatSync(descriptor)
    // Others could read it, so it is no secret any more.
    const ours = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
    const token = fs.readFileSync(descriptor, 'latin1').trim()
    if (!ours || !isToken.test(token) || Math.abs(now - mtimeMs) > unusedMs) return undefined
    fs.futimesSync(descriptor, now / 1000, now / 1000)
    return token
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}

function keepToken(file: string, token: string): boolean {
  try {
    makePrivateDir(path.dirname(file))
    putFile(file, `${token}\n`)
    return true
  } catch {
    return false
  }
}

/** By line: 1 inside a block, or after the opening of one that has no end. */
function linesInside({ blocks, diagnostics, notExecuted }: ReadBlocks, lines: number): Uint8Array {
  const inside = new Uint8Array(lines + 1)
  const open = diagnostics.map(({ range }) => ({ startLine: range.line, endLine: null }))
  let next = lines + 1
  const aside = notExecuted.map(({ line, endLine }) => ({ startLine: line, endLine }))
  for (const { startLine, endLine } of [...blocks, ...aside, ...open].toSorted(byStart)) {
    inside.fill(1, startLine, (endLine ?? next - 1) + 1)
    next = startLine
  }
  return inside
}

/** The last first. */
const byStart = (a: { startLine: number }, b: { startLine: number }): number => b.startLine - a.startLine

const tokenOn = (line: string): string =>
  /^[\s>*_`-]*clada:([0-9a-z]+)[\s*_`]*$/.exec(removeDamage(line, ['escapes', 'spaces', 'invisible']))?.[1] ?? ''

/** Not imported: loading it would cost every start some milliseconds. */
const crypto = (): typeof import('node:crypto') => process.getBuiltinModule('node:crypto')
