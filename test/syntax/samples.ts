import type { Call } from '@clada/reply/syntax/call.ts'
import { type SyntaxName, syntaxNames, syntaxOf, type TargetName, targetNames } from '@clada/reply/syntax/table.ts'
import { render } from './calls.ts'

/** One block of every syntax that writes a file, for tests that mix them. */

export type NativeName = Extract<SyntaxName, TargetName>

export const nativeNames = targetNames.filter((name): name is NativeName => syntaxNames.some((one) => one === name))
/** Proposals wait for a yes, and hold no blocks: they have tests of their own. */
export type BlockName = Exclude<SyntaxName, 'proposal'>
export const blockNames = syntaxNames.filter((name): name is BlockName => name !== 'proposal')
export const foreignNames = blockNames.filter((name) => syntaxOf(name).kind === 'foreign')

export function written(syntax: NativeName, call: Call): string {
  const rendered = render(syntax, call)
  if ('refused' in rendered) throw new Error(`${syntax} ${rendered.refused}`)
  return rendered.text
}

const added = (content: string): string[] => content.split('\n').map((line) => `+${line}\n`)

/** How to create a file in the formats that clada does not write itself. A new one has to be added here. */
const creates: Readonly<Record<Exclude<BlockName, NativeName>, (path: string, content: string) => string>> = {
  'search-replace': (path, content) =>
    `${path}\n\`\`\`\n<<<<<<< SEARCH\n=======\n${content}\n>>>>>>> REPLACE\n\`\`\`\n`,
  'apply-patch': (path, content) => `*** Begin Patch\n*** Add File: ${path}\n${added(content).join('')}*** End Patch\n`,
  'xml-call': (path, content) =>
    `<write_to_file>\n<path>${path}</path>\n<content>\n${content}\n</content>\n</write_to_file>\n`,
  'json-call': (path, content) =>
    `${JSON.stringify({ command: 'create', path, file_text: `${content}\n` }, null, 2)}\n`,
  gptme: (path, content) => `\`\`\`\`save ${path}\n${content}\n\`\`\`\`\n`,
  'swe-agent': (path, content) => `create ${path}\nedit 1:1\n${content}\nend_of_edit\n`,
  udiff(path, content) {
    const lines = added(content)
    return `\`\`\`diff\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.join('')}\`\`\`\n`
  },
}

const isCreated = (name: BlockName): name is keyof typeof creates => Object.hasOwn(creates, name)

/** A block that writes a file, closed with a line break. */
export function writes(syntax: BlockName, path: string, content: string): string {
  if (isCreated(syntax)) return creates[syntax](path, content)
  return `${written(syntax, { action: 'file_write', params: { path, content } })}\n`
}
