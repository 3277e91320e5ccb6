import path from 'node:path'
import { namesIn, readSmall, type Text } from './text.ts'

/**
 * The programs that a repository makes git run: hooks, and commands in its config (filters, drivers, editors, aliases).
 * They are known by their texts; a git command that is approved runs them.
 */
export function gitRuns(root: string): Text | undefined {
  const dir = path.join(root, '.git')
  const config = readSmall(path.join(dir, 'config')) ?? ''
  const [, given] = /^[ \t]*hooksPath[ \t]*=[ \t]*"?([^"\r\n]+?)"?[ \t]*$/im.exec(config) ?? []
  const hooksDir = given === undefined ? path.join(dir, 'hooks') : path.resolve(root, given)
  const hooks = namesIn(hooksDir).flatMap((name) => {
    const file = path.join(hooksDir, name)
    const text = name.endsWith('.sample') ? undefined : readSmall(file)
    return text === undefined ? [] : [[path.relative(root, file), text] as const]
  })
  const commands = config
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => startsProgram.test(line))
  const attributes = ['.gitattributes', '.git/info/attributes'].flatMap((name) => {
    const text = commands.length === 0 ? undefined : readSmall(path.join(root, name))
    return text === undefined ? [] : [[name, text] as const]
  })
  if (hooks.length + commands.length === 0) return undefined
  const names = hooks.map(([name]) => name)
  return {
    whole: JSON.stringify([hooks, commands, attributes]),
    shown: [
      ...(names.length === 0 ? [] : [`the hooks ${names.join(', ')}`]),
      ...(commands.length === 0 ? [] : [`what .git/config says: ${commands.join(', ')}`]),
    ].join('; '),
  }
}

/** Keys whose value is a command, or a file with more such keys. */
const startsProgram =
  /^(?:hooksPath|fsmonitor|pager|editor|sshCommand|askPass|gitProxy|clean|smudge|process|driver|command|textconv|external|program|helper|cmd|path|uploadpack|receivepack|(?:[\w-]+[ \t]*=[ \t]*"?!.*))[ \t]*(?:=|$)/i
