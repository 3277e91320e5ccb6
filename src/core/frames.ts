/** Lines by which a report is known. Content never has them at the start of a line: it is indented by one space there. */
export const endFrame = '=== END ==='

/** A line between `===`, as every section and file of a report has them. */
export const isFrame = (line: string): boolean => /^=== .* ===\s*$/.test(line)

/** A line of the formats `text` and `xml`. */
export const isTaskLine = (line: string): boolean => /^\[(?:task-\d+(?:\.\d+)*(?::\w+)?|line \d+)\] /.test(line)
