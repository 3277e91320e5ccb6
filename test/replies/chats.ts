import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { namesPlaceholder } from '@clada/reply/syntax/placeholder.ts'

/** A diff that chats show without meaning it to be applied. */
interface Shown {
  readonly sha: string
  readonly author: string
  readonly date: string
  readonly subject: string
  readonly diff: string
}

/** What becomes of a text, by how many blocks. A block with a mistake does not run, and a whole file is shown first. */
export function becomesOf(text: string): {
  listed: number
  refused: number
  proposed: number
  runs: readonly string[]
} {
  const { blocks, notExecuted } = findBlocks(new Source(text))
  const sound = blocks.filter(({ diagnostics, endLine }) => diagnostics.length === 0 && endLine !== null)
  const own = sound.filter(({ syntax }) => syntax !== 'proposal')
  // There is no project here, and so no file that a placeholder could be.
  const runs = own.filter((block) => !namesPlaceholder(block))
  return {
    listed: notExecuted.length + own.length - runs.length,
    refused: blocks.length - sound.length,
    proposed: sound.length - own.length,
    runs: runs.map(({ syntax, startLine, raw }) => `${syntax}, line ${startLine}: ${raw.split('\n')[0]}`),
  }
}

export const prompts = [
  '$',
  'ada@box:~/clada$',
  '➜  clada git:(main) ✗',
  'PS C:\\clada>',
  'ada@box clada %',
  'root@box:/clada#',
  '❯',
  '(venv) ada@box:~/clada$',
  '[ada@box clada]$',
  'C:\\clada>',
  '~/clada (main) $',
  '>>',
  'bash-5.1$',
  'sh-5.1#',
  'clada $',
  '(venv) $',
  '~/clada (main) >',
  'zsh%',
  'fish>',
  '#',
  'clada »',
  '(venv) ~/clada »',
  'ada@box:~/clada »',
  'ada@box MINGW64 ~/clada (main)\n$',
]
const shells = ['', 'console', 'sh', 'bash', 'text', 'shell', 'terminal']
const at = (list: readonly string[], index: number): string => list[index % list.length] ?? ''
const fenced = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\``
const header = ({ sha, author, date, subject }: Shown): string =>
  `commit ${sha}\nAuthor: ${author}\nDate:   ${date}\n\n    ${subject}\n`
const numbered = (text: string, mark: string): string =>
  text
    .split('\n')
    .map((line, n) => `${String(n + 1).padStart(4)}${mark}${line}`)
    .join('\n')
const quoted = (text: string): string => text.replace(/^/gm, '> ')

/** How chats and tools show a diff that nobody asks to apply. */
export const frames: Readonly<Record<string, (shown: Shown, n: number) => string>> = {
  'a terminal in a fence': ({ diff }, n) =>
    `This is what I see:\n\n${fenced(at(shells, n), `${at(prompts, n)} git diff\n${diff}`)}\n\nWhy is that?\n`,
  'a terminal without a fence': ({ diff }, n) => `${at(prompts, n)} git diff HEAD~1\n${diff}\n${at(prompts, n)} \n`,
  'a terminal with commands before': ({ diff }, n) =>
    `${fenced(at(shells, n), `${at(prompts, n)} cd clada\n${at(prompts, n)} git status -s\n M src/a.ts\n${at(prompts, n)} git diff --staged\n${diff}\n${at(prompts, n)} git log -1 --oneline\nabc1234 wip`)}\n`,
  'a terminal in the fence before': ({ diff }, n) =>
    `${fenced(at(shells, n), `${at(prompts, n)} git diff`)}\n\n${fenced(at(['diff', '', 'patch'], n), diff)}\n`,
  'a terminal in the fence before, with a word between': ({ diff }, n) =>
    `${fenced(at(shells, n), `${at(prompts, n)} git status -s\n M src/a.ts\n${at(prompts, n)} git --no-pager show --stat=80`)}\n\n${at(['Output:', 'prints', 'which shows:'], n)}\n\n${fenced(at(['diff', ''], n), diff)}\n`,
  'a terminal in the fence before a diff without one': ({ diff }, n) =>
    `${fenced(at(shells, n), `${at(prompts, n)} git log -p -1`)}\n\n${diff}\n`,
  'a command above a fence': ({ diff }, n) =>
    `I looked at it.\n\n${at(prompts, n)} git diff HEAD~1\n${fenced(at(['diff', ''], n), diff)}\n`,
  'a command in backticks above a fence': ({ diff }, n) =>
    `I looked at it.\n\n\`${at(prompts, n).split('\n').at(-1)} git diff\`:\n\n${fenced(at(['diff', ''], n), diff)}\n`,
  'git show': (commit) => `${fenced('', `${header(commit)}\n${commit.diff}`)}\n\nThis commit broke it.\n`,
  'git show in a diff fence': (commit) =>
    `What does this do?\n\n${fenced('diff', `${header(commit)}\n${commit.diff}`)}\n`,
  'git log -p without a fence': (commit, n) => `${at(prompts, n)} git log -p -1\n${header(commit)}\n${commit.diff}\n`,
  'a mail with a patch': ({ sha, author, date, subject, diff }) =>
    `From ${sha} Mon Sep 17 00:00:00 2001\nFrom: ${author}\nDate: ${date}\nSubject: [PATCH] ${subject}\n\n---\n src/a.ts | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)\n\n${diff}\n-- \n2.43.0\n`,
  'a quotation': ({ diff }) => `You wrote:\n\n${quoted(fenced('diff', diff))}\n\nI do not agree.\n`,
  'a quoted review': ({ diff }) =>
    `${quoted(diff.split('\n').slice(0, 12).join('\n'))}\n\nPlease rename this.\n\n${quoted(diff.split('\n').slice(12, 20).join('\n'))}\n\nAnd this.\n`,
  'a numbered listing': ({ diff }, n) => `${fenced('', numbered(diff, at([': ', ' | ', '  ', '|'], n)))}\n`,
  'a thought': ({ diff }, n) => {
    const tag = at(['think', 'thinking', 'reasoning', 'scratchpad'], n)
    return `<${tag}>\nI could do this:\n${fenced('diff', diff)}\nNo.\n</${tag}>\nI would leave it as it is.\n`
  },
  'a thought that does not end': ({ diff }, n) =>
    `Let me see.\n<${at(['think', 'thinking', 'reasoning', 'scratchpad'], n)}>\nPerhaps\n${fenced('diff', diff)}\n`,
  'a combined diff': ({ diff }) =>
    fenced(
      '',
      diff
        .replace(/^diff --git a\/(\S+) .*$/gm, 'diff --cc $1')
        .replace(/^@@ (-\S+) (\+\S+) @@/gm, '@@@ $1 $1 $2 @@@')
        .replace(/^([-+ ])(?!-- |\+\+ )/gm, ' $1'),
    ),
  'the log of a build': ({ diff }, n) =>
    fenced(
      '',
      diff
        .split('\n')
        .map((line, at) => `2026-03-0${(n % 9) + 1}T10:00:${String(at % 60).padStart(2, '0')}.000Z ${line}`)
        .join('\n'),
    ),
  'a placeholder': ({ diff }) => {
    const hunk = diff.slice(diff.indexOf('@@')).split(/^diff /m)[0] ?? ''
    return `For example, a diff looks like this:\n\n${fenced('diff', `--- a/path/to/file.ts\n+++ b/path/to/file.ts\n${hunk.trimEnd()}`)}\n`
  },
  'a sentence about output': ({ diff }, n) =>
    `${at(['On success, the output looks like:', 'Returns:', 'This is what git diff shows:', 'It prints something like:'], n)}\n\n${fenced(at(['diff', 'bash', ''], n), diff)}\n`,
  'a conflict': ({ diff }) => {
    const rows = (mark: string): string =>
      diff
        .split('\n')
        .filter((line) => line.startsWith(mark) && !/^(?:---|\+\+\+)/.test(line))
        .map((line) => line.slice(1))
        .slice(0, 8)
        .join('\n')
    return `I get this:\n\n${fenced('', `src/a.ts\n<<<<<<< HEAD\n${rows('-')}\n=======\n${rows('+')}\n>>>>>>> feature`)}\n`
  },
  'an excerpt in prose': ({ diff, subject }) =>
    `${subject}\n\n${diff
      .split('\n')
      .filter((line) => /^[-+]/.test(line) && !/^(?:---|\+\+\+)/.test(line))
      .slice(0, 6)
      .join('\n')}\n\nis the interesting part.\n`,
}
