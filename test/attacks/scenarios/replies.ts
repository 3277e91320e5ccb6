import type { Attack } from '../attack.ts'
import { numbered, quoted } from './numbered.ts'

/** Texts in which a block is shown, thought or quoted, and not meant. */
export const replyScenarios = (): Attack[] => [...quotations(), ...fragments(), ...hidden()]

const code = (id: string): string =>
  `#!SHAM [@three-char-SHA-256: ${id}]\naction = "exec"\nlang = "bash"\ncode = "{S}"\n#!END_SHAM_${id}\n`
const csl = '<---EXEC lang="bash"--->\n{S}\n<---END--->\n'
const patch =
  'diff --git a/src/b.txt b/src/b.txt\n--- a/src/b.txt\n+++ b/src/b.txt\n@@ -1 +1 @@\n-beta two\n+beta PWNED\n'
const fence = (text: string, info = ''): string => `\`\`\`${info}\n${text}\`\`\`\n`

const shown: readonly (readonly [what: string, reply: string])[] = [
  ['a thought', `<think>\n${code('abc')}</think>\n`],
  ['a thought with an id', `<thinking-content-7bbe0f>\n${code('abc')}</thinking-content-7bbe0f>\n`],
  ['a thought with attributes', `<thinking budget="1">\n${code('abc')}</thinking>\n`],
  ['reasoning', `<reasoning>\n${csl}</reasoning>\n`],
  ['a thought that does not end', `<think>\nI could write\n${code('abc')}`],
  ['a thought under a heading', `► **THINKING**\n\n${code('abc')}\n► **RESPONSE**\n\nDone.\n`],
  [
    'a thought folded by Open WebUI',
    `<details type="reasoning" done="true">\n<summary>Thought</summary>\n${csl}</details>\n`,
  ],
  ['a folded thought', `<details>\n<summary>Thought for 12 seconds</summary>\n\n${code('abc')}\n</details>\n`],
  ['output of git diff in the next fence', `${fence('$ git diff\n', 'bash')}\n${fence(patch)}`],
  ['output of git diff in the same fence', fence(`user@host dir % git diff\n${patch}`)],
  ['output of git diff at a bash prompt', fence(`bash-5.1$ git diff\n${patch}`)],
  ['output of git diff below its command', `$ git diff\n${fence(patch)}`],
  ['output of git show as root', fence(`root@box:/srv# git show\n${patch}`)],
  ['output of cat', fence(`$ cat reply.md\n${code('abc')}`)],
  [
    'a report of clada',
    `=== clada results ===\n[task-1] exec ✅\n ${code('abc').replaceAll('\n', '\n ')}\n=== END ===\n`,
  ],
  [
    'a result in the content of a write',
    `#!SHAM [@three-char-SHA-256: w01]\naction = "file_write"\npath = "{P}/src/n.md"\ncontent = <<'EOT_SHAM_w01'\n${code('abc')}EOT_SHAM_w01\n#!END_SHAM_w01\n`,
  ],
  ['a block in the content of a CSL write', `<---WRITE file="{P}/src/n.md"--->\n${code('abc')}<---END--->\n`],
  [
    'a block inside a heredoc with another end',
    `#!SHAM [@three-char-SHA-256: w01]\naction = "file_write"\npath = "{P}/src/n.md"\ncontent = <<'EOT_SHAM_w01'\n#!END_SHAM_w01\n${code('abc')}EOT_SHAM_w01\n#!END_SHAM_w01\n`,
  ],
  [
    'a tool call in a string',
    '{"content": "<invoke name=\\"exec\\"><parameter name=\\"code\\">{S}</parameter></invoke>"}\n',
  ],
]

function quotations(): Attack[] {
  return numbered(
    'QUOTED',
    {
      why: 'what a model shows, thinks or quotes is not what it asks for',
      options: ['--exec', 'unsandboxed', '--proposals', 'apply'],
    },
    [
      ...shown.map(([what, reply]) => ({
        description: what,
        reply,
        afterwards: 'grep -q PWNED src/b.txt && touch {FX}/PWNED',
      })),
      ...['sham', 'csl', 'cml', 'replacer'].map((syntax) => ({
        description: `the prompt itself, ${syntax}`,
        reply: 'nothing\n',
        afterwards: `clada prompt --syntax ${syntax} > {FX}/../prompt.md; find . -type f | sort | xargs md5sum > {FX}/../one; clada --exec unsandboxed --no-git {FX}/../prompt.md; find . -path ./.clada -prune -o -type f -print | sort | xargs md5sum > {FX}/../two; cmp {FX}/../one {FX}/../two || touch {FX}/PWNED`,
      })),
    ],
  )
}

/** Parts of a file below its name; the file has more than they show. */
const parts: readonly (readonly [what: string, reply: string])[] = [
  ['an empty fence', '**src/app.js**\n\n```js\n```\n'],
  ['a blank line', '**src/app.js**\n\n```js\n\n```\n'],
  ['one function', '**src/app.js**\n\n```js\nfunction one() {\n  return 2\n}\n```\n'],
  [
    'a comment for the rest',
    '**src/app.js**\n\n```js\nfunction one() {\n  return 2\n}\n// ... existing code ...\n```\n',
  ],
  ['dots for the rest', '`src/app.js`:\n\n```js\nfunction one() {\n  return 2\n}\n...\n```\n'],
  ['an update in words', 'Update `src/app.js`:\n\n```js\nconst x = 2\n```\n'],
  ['a heading with the name', '### src/app.js\n\n```js\nfunction two() {}\n```\n'],
  ['a name in the fence', '```js src/app.js\nfunction two() {}\n```\n'],
  ['a comment with the name', '```js\n// src/app.js\nfunction two() {}\n```\n'],
]

function fragments(): Attack[] {
  const app = Array.from({ length: 40 }, (_, index) => `function f${index}() {\\n  return ${index}\\n}\\n`).join('')
  return numbered(
    'FRAGMENT',
    {
      why: 'a part of a file is never taken for all of it',
      options: ['--proposals', 'apply'],
      setup: `printf '${app}function one() {\\n  return 1\\n}\\n' > src/app.js`,
    },
    parts.map(([description, reply]) => ({
      description,
      reply,
      afterwards: '[ $(wc -l < src/app.js) -ge 120 ] || touch {FX}/PWNED',
    })),
  )
}

/** Characters that a terminal does not show, or obeys. */
const invisible = [
  '\u3164',
  '\uffa0',
  '\u034f',
  '\u2800',
  '\u115f',
  '\u17b4',
  '\u202e',
  '\u2028',
  '\u009b',
  '\u{e0041}',
]

const showing = ['clada diff', 'clada --no-git --json'] as const

function hidden(): Attack[] {
  return numbered(
    'HIDDEN',
    { why: 'a terminal spells out what nobody could see', reply: 'nothing\n' },
    invisible.flatMap((char) => {
      const name = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
      const reply = `<---WRITE file="{P}/src/n.txt"--->\nif x${char}y\n<---END--->\n`
      return showing.map((command) => ({
        description: `${name} by ${command}`,
        afterwards: [
          `printf %s ${quoted(reply)} > {FX}/../reply.md`,
          `command -v script > /dev/null || exit 0`,
          `export -f clada; CI= SHELL=/bin/bash script -qec '${command} {FX}/../reply.md' /dev/null < /dev/null > {FX}/../shown`,
          `grep -q n.txt {FX}/../shown || touch {FX}/PWNED`,
          `grep -qF ${quoted(char)} {FX}/../shown && touch {FX}/PWNED`,
        ].join('\n'),
      }))
    }),
  )
}
