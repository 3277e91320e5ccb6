import { platform } from '../core/platform.ts'
import { systemPath } from './programs.ts'

/** How a program is started, without a shell that reads its arguments. */
export interface Start {
  readonly file: string
  readonly args: readonly string[]
  /** The arguments are quoted already. */
  readonly verbatim: boolean
}

/**
 * Windows starts a batch file through `cmd`, which reads the whole line once more: Node refuses to do that, because a
 * quotation mark or a variable in an argument could become a command. Here every word is in quotation marks, and a word
 * that could end them or name a variable is refused.
 */
export function startOf(file: string, args: readonly string[]): Start | { readonly reason: string } {
  if (!/\.(?:cmd|bat)$/i.test(file.replace(/[. ]+$/, ''))) return { file, args, verbatim: false }
  const words = [file, ...args]
  const odd = words.find((word) => /["%\r\n\0]/.test(word))
  if (odd !== undefined)
    return {
      reason: `'${odd}' cannot be given to a batch file safely: it contains a quotation mark, a % or a line break`,
    }
  const line = words.map((word) => `"${word.replace(/\\+$/, '$&$&')}"`).join(' ')
  const shell = platform.path.join(systemPath[0] ?? '', 'cmd.exe')
  return { file: shell, args: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`], verbatim: true }
}
