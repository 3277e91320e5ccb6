import { type Flag, flags } from '../packages/clada/src/cli/flags.ts'
import { keyNames, type KeyName, keyOf } from '../packages/clada/src/config/keys.ts'
import { alwaysAllowed, onlyTrusted } from '../packages/clada/src/config/narrowing.ts'
import { fileDefault, yamlOf } from '../packages/clada/src/config/sample.ts'

/** The part of the documentation that lists the keys. */
export function keysPage(): string {
  return keyNames.map(entryOf).join('\n')
}

function entryOf(name: KeyName): string {
  const { kind, about, example } = keyOf(name)
  const all: readonly Flag[] = flags
  const own = all.filter(({ key }) => key === name)
  const flag = own.length === 0 ? '' : ` Flags: ${own.map((one) => `\`--${one.name}\``).join(', ')}.`
  return [
    `### \`${name}\``,
    '',
    `${about}${flag}`,
    '',
    `- Must be ${kind.expected.replaceAll('|', '\\|')}. Default: \`${yamlOf(name, fileDefault(name))}\`. Example: \`${example}\`.`,
    `- In a project's file: ${projectWords(name)}.`,
    '',
  ].join('\n')
}

function projectWords(name: KeyName): string {
  const { project, askedEach } = keyOf(name)
  if (askedEach) return '`clada trust` asks about each'
  if (project === alwaysAllowed) return 'as it likes'
  return project === onlyTrusted ? 'only when it is trusted' : 'only narrower than without it, until it is trusted'
}
