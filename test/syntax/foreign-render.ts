import { parseHunks, hunkSide } from '@clada/reply/text/hunks.ts'
import { unifiedDiff } from '@clada/reply/text/unified-diff.ts'
import type { Format } from './foreign-read.ts'

/** An edit of one file as a model would write it in each format. Empty when nothing changes. */
export function rendered(format: Format, path: string, before: string, after: string): string {
  const diff = unifiedDiff(path, path, before, after)
  if (diff === '') return ''
  if (format === 'udiff') return `Here:\n\n\`\`\`diff\n${diff}\`\`\`\n`
  const parsed = parseHunks(diff)
  if (!('hunks' in parsed)) throw new Error(parsed.message)
  if (format === 'apply-patch') {
    const hunks = parsed.hunks.map(({ lines }) => ['@@', ...lines.map(({ mark, text }) => mark + text)].join('\n'))
    return ['*** Begin Patch', `*** Update File: ${path}`, ...hunks, '*** End Patch', ''].join('\n')
  }
  const blocks = parsed.hunks.map((hunk) => {
    const [search, replace] = (['old', 'new'] as const).map((side) => hunkSide(hunk, side).map(({ text }) => text))
    return ['<<<<<<< SEARCH', ...(search ?? []), '=======', ...(replace ?? []), '>>>>>>> REPLACE'].join('\n')
  })
  return `${path}\n\`\`\`\n${blocks.join('\n\n')}\n\`\`\`\n`
}
