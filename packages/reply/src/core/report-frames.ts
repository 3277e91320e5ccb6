/** Lines by which a report is known. Content never has them at the start of a line: it is indented by one space there. */
export const endFrame = '=== END ==='

/** A line between `===`, as every section and file of a report has them. */
export const isFrame = (line: string): boolean => /^=== .* ===\s*$/.test(line)

/** A line of the formats `text` and `xml`. */
export const isTaskLine = (line: string): boolean => /^\[(?:task-\d+(?:\.\d+)*(?::\w+)?|line \d+)\] /.test(line)

/** The sentences that a prompt of clada's own begins with. Its examples are blocks, and nothing in it is meant to run. */
export const promptOpenings = {
  blocks: 'You can work on my project yourself: write action blocks in your reply.',
  changes: 'Write changes in your reply like this; clada applies them to',
} as const

/** The last line of a prompt: what follows it in a copied chat is the reply. */
export const promptEnd = '(End of prompt.)'

/** Where a prompt of clada's own begins or ends. */
export const isPromptFrame = (line: string): boolean =>
  line.trimEnd() === promptEnd || Object.values(promptOpenings).some((opening) => line.startsWith(opening))

/** A line by which the clipboard watcher takes a copied text for a reply. */
export const isTokenLine = (line: string): boolean => /^[\s>*_`-]*clada:[0-9a-z]/.test(line)
