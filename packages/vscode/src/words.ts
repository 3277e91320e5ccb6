import { spellOut } from '@clada/reply/text/spell-out.ts'

/**
 * Text of a reply or a file in one line of VS Code. It may have line breaks, and characters that hide or turn others;
 * notifications make a link that runs a command of `[text](command:…)`.
 */
export const plain = (text: string): string => spellOut(text.replaceAll('\n', ' ⏎ ')).replaceAll('](', '] (')
