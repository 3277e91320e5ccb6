import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  carriesToken,
  quotesInstruction,
  sessionToken,
  tokenInstruction,
} from '../../packages/clada/src/watch/token.ts'
import { scratchDir } from '../support/scratch.ts'

const token = '0123456789abcdefghjk'
const line = `clada:${token}`

afterEach(() => void vi.unstubAllEnvs())

function stateIn(dir: string): string {
  vi.stubEnv('XDG_STATE_HOME', dir)
  return dir
}

const fileIn = (state: string): string => {
  const [name = ''] = fs.readdirSync(path.join(state, 'clada/session'))
  return path.join(state, 'clada/session', name)
}

describe('the token of a project', () => {
  it('is long, stays the same, and is the same for another process', () => {
    const state = stateIn(scratchDir())
    const root = scratchDir()
    const made = sessionToken(root)
    expect(made).toMatch(/^[0-9a-hjkmnp-tv-z]{20}$/)
    expect(sessionToken(root)).toBe(made)
    expect(fs.readFileSync(fileIn(state), 'utf8').trim()).toBe(made)
    expect(fs.statSync(fileIn(state)).mode & 0o777).toBe(0o600)
  })

  it('is another for another project, and when it is renewed', () => {
    stateIn(scratchDir())
    const root = scratchDir()
    const made = sessionToken(root)
    expect(sessionToken(scratchDir())).not.toBe(made)
    const renewed = sessionToken(root, { renew: true })
    expect(renewed).not.toBe(made)
    expect(sessionToken(root)).toBe(renewed)
  })

  it('is used up after a day without use, and only then', () => {
    const state = stateIn(scratchDir())
    const root = scratchDir()
    const made = sessionToken(root)
    const ago = (hours: number, from = new Date()): void =>
      fs.utimesSync(fileIn(state), new Date(), new Date(from.getTime() - hours * 3_600_000))
    ago(23)
    expect(sessionToken(root)).toBe(made)
    // Using it has made it young again.
    ago(23, fs.statSync(fileIn(state)).mtime)
    expect(sessionToken(root)).toBe(made)
    ago(24.1)
    expect(sessionToken(root)).not.toBe(made)
  })

  it('that others could read, or that is none, is not used', () => {
    const state = stateIn(scratchDir())
    const root = scratchDir()
    const made = sessionToken(root)
    fs.chmodSync(fileIn(state), 0o644)
    const second = sessionToken(root)
    expect(second).not.toBe(made)
    fs.writeFileSync(fileIn(state), 'abc')
    expect(sessionToken(root)).toMatch(/^.{20}$/)
    expect(fs.statSync(fileIn(state)).mode & 0o777).toBe(0o600)
  })

  it('lives in the process where the state directory lies in the project or cannot be written', () => {
    const root = scratchDir()
    stateIn(path.join(root, 'state'))
    fs.mkdirSync(path.join(root, 'state'))
    const made = sessionToken(root)
    expect(sessionToken(root)).toBe(made)
    expect(execFileSync('find', [root, '-type', 'f']).toString()).toBe('')
    const elsewhere = scratchDir({ 'no-directory': '' })
    stateIn(path.join(elsewhere, 'no-directory'))
    const other = scratchDir()
    expect(sessionToken(other)).toBe(sessionToken(other))
  })
})

const sham = (content: string): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "/tmp/a"\ncontent = <<'EOT_SHAM_abc'\n${content}\nEOT_SHAM_abc\n#!END_SHAM_abc`

describe('a text carries the token', () => {
  it.each([
    ['alone', line],
    ['before a block', `${line}\n${sham('x')}`],
    ['behind one', `${sham('x')}\n\n${line}\n`],
    ['between two', `${sham('x')}\n${line}\n${sham('y')}`],
    ['with CRLF', `hello\r\n${line}\r\n${sham('x').replaceAll('\n', '\r\n')}`],
    ['indented', `   ${line}  `],
    ['quoted', `> ${line}`],
    ['as code', `\`${line}\``],
    ['bold', `**${line}**`],
    ['in a list', `- ${line}`],
    ['in a fence', `\`\`\`\n${line}\n${sham('x')}\n\`\`\``],
    ['with no-break and zero-width blanks', `\ufeff\u00a0clada\u200b:${token}\u00a0`],
    ['with an escaped colon', `clada\\:${token}`],
  ])('%s', (_, text) => {
    expect(carriesToken(text, token)).toBe(true)
  })

  it.each([
    ['in the content of a block', sham(line)],
    ['in a block that is not closed', `${sham('x')}\n${sham(line).replace('#!END_SHAM_abc', '')}`],
    ['in a heredoc that is not closed', sham(line).split('\nEOT_SHAM_abc')[0] ?? ''],
    ['behind a block that is not closed', `#!SHAM [@three-char-SHA-256: abc]\naction = "ls"\n\n${line}`],
    ['in CSL content', `<---WRITE file="a"--->\n${line}\n<---END--->`],
    ['in CSL content that is not closed', `<---WRITE file="a"--->\n${line}\n`],
    ['in CML content', `<write path="a"><![CDATA[\n${line}\n]]></write>`],
    ['in CML content that is not closed', `<write path="a"><![CDATA[\n${line}\n`],
    ['in a replacer block', `<<<FILE>>>\na\n<<<OVERWRITE>>>\n${line}\n<<<END>>>`],
    ['in a replacer block that is not closed', `<<<FILE>>>\na\n<<<OVERWRITE>>>\n${line}\n`],
    ['in a diff', `\`\`\`diff\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+${line}\n\`\`\``],
    ['in a sentence', `write ${line} first`],
    ['with another letter', `clada:${token.slice(0, -1)}z`],
    ['with a letter more', `${line}z`],
    ['in capitals', line.toUpperCase()],
    ['with a blank', `clada: ${token}`],
    ['that is broken', `clada:${token.slice(0, 8)}\u200b${token.slice(8)}`],
    ['in what a prompt says of it', tokenInstruction(token)],
    ['in a prompt whose lines were wrapped', tokenInstruction(token).replaceAll(' ', '\n')],
  ])('but not %s', (_, text) => {
    expect(carriesToken(text, token)).toBe(false)
  })

  it('never inside a block, whatever stands around it', () => {
    const prose = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[#<>*]/g, ''))
    fc.assert(
      fc.property(fc.array(prose), fc.array(prose), (before, after) => {
        expect(carriesToken([...before, sham(line), ...after].join('\n'), token)).toBe(false)
      }),
    )
  })

  it('in time, however often it is there', () => {
    expect(carriesToken(`${line}x\n`.repeat(20_000) + line, token)).toBe(true)
    expect(carriesToken(`x${line}`.repeat(20_000), token)).toBe(false)
  })

  it('and what tells of it is known again', () => {
    expect(quotesInstruction(`a\n${tokenInstruction(token).replaceAll(' ', '\n')}\nb`)).toBe(true)
    expect(quotesInstruction(`directly followed by ${line}`)).toBe(false)
  })
})
