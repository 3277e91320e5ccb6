import { summaryPlace } from '../core/settings.ts'
import type { ExecutionRecord } from './record.ts'
import { withoutControls } from './summary.ts'

/** `AI: <summary>` or another format, followed by a line for each action. */
export function commitMessage(
  record: ExecutionRecord,
  explanations: readonly string[],
  format = `AI: ${summaryPlace}`,
): string {
  const said = [...new Set(explanations.map((text) => text.trim()))].filter((text) => text !== '')
  const actions = record.actions.map(
    ({ seq, action, target, success, left, error }) =>
      `${seq}. ${success ? 'ok' : left ? 'left out by the user' : 'failed'}: ${action} ${target}`.trimEnd() +
      (error === undefined ? '' : `\n   ${error}`),
  )
  const body = [...said.filter((text) => text !== record.summary), ...(actions.length > 0 ? [actions.join('\n')] : [])]
  return withoutControls(`${[format.replace(summaryPlace, () => record.summary), ...body].join('\n\n')}\n`)
}

/** Author and committer as environment variables of git. */
export function identityOf(author: string | null): Record<string, string> {
  const [, name, mail = 'clada@localhost'] = /^(.*?)(?: <(.*)>)?$/.exec(author ?? 'clada') ?? []
  const seconds = Math.floor(Date.now() / 1000)
  const zone = -new Date().getTimezoneOffset()
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = `${seconds} ${zone < 0 ? '-' : '+'}${two(Math.floor(Math.abs(zone) / 60))}${two(Math.abs(zone) % 60)}`
  return {
    GIT_AUTHOR_NAME: name ?? 'clada',
    GIT_AUTHOR_EMAIL: mail,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name ?? 'clada',
    GIT_COMMITTER_EMAIL: mail,
    GIT_COMMITTER_DATE: date,
  }
}
