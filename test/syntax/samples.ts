import type { SyntaxName } from '../../src/core/block.ts'
import type { Call } from '../../src/syntax/call.ts'
import { renderers } from './calls.ts'

/** One block of every syntax that writes a file, for tests that mix them. */

export const nativeNames = ['sham', 'csl', 'cml', 'replacer'] as const
export const foreignNames = ['search-replace', 'apply-patch', 'udiff'] as const

export type NativeName = (typeof nativeNames)[number]

export function written(syntax: NativeName, call: Call): string {
  const rendered = renderers[syntax](call)
  if ('refused' in rendered) throw new Error(`${syntax} ${rendered.refused}`)
  return rendered.text
}

/** A block that writes a file, closed with a line break. */
export function writes(syntax: SyntaxName, path: string, content: string): string {
  const added = content.split('\n').map((line) => `+${line}\n`)
  switch (syntax) {
    case 'search-replace':
      return `${path}\n\`\`\`\n<<<<<<< SEARCH\n=======\n${content}\n>>>>>>> REPLACE\n\`\`\`\n`
    case 'apply-patch':
      return `*** Begin Patch\n*** Add File: ${path}\n${added.join('')}*** End Patch\n`
    case 'udiff':
      return `\`\`\`diff\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${added.length} @@\n${added.join('')}\`\`\`\n`
    default:
      return `${written(syntax, { action: 'file_write', params: { path, content } })}\n`
  }
}
