/** Advice to a model, given where these actions are among those it is taught and the others are not. */
export interface Tip {
  readonly needs?: readonly string[]
  readonly unless?: readonly string[]
  /** Given only where one of the actions taught takes this parameter. */
  readonly param?: string
  readonly text: string
}

export const changing: readonly Tip[] = [
  {
    needs: ['file_read'],
    text: 'Edit only what you have seen. If you have not seen it, read it, end your reply there, and go on from the report. Never guess what a file holds.',
  },
  {
    needs: ['run'],
    unless: ['file_read'],
    text: 'Edit only what you have seen. If you have not seen it, run `cat FILE`, end your reply there, and go on from the report. Never guess what a file holds.',
  },
  {
    unless: ['file_read', 'run'],
    text: 'Edit only what you have seen. If you have not seen it, ask me for it and end your reply there. Never guess what a file holds.',
  },
  {
    param: 'old_text',
    text: 'Copy the old text exactly, indentation included, without line numbers. It must be in the file exactly once: take as few lines as make it unique. Indent the new text as it must stand there.',
  },
  {
    needs: ['file_edit'],
    text: 'For a text that is there more often: `count="2"`, the exact number, or `count="all"`.',
  },
  {
    needs: ['replace_structure', 'insert_after_structure', 'file_replace_text'],
    text: 'A few lines: `file_replace_text`. Whole functions, classes, sections: `replace_structure`; a new one behind another: `insert_after_structure`. `target` is the name, with the names around it on lines before if there are several; `content` starts without indentation.',
  },
  {
    needs: ['file_replace_lines', 'file_read_numbered'],
    text: 'By numbers that `file_read_numbered` has just shown: `file_replace_lines`; `lines` is `4` or `23-43`. They shift with each edit: make all changes of a file in one block, in `edits`, each below a line `@@ 23-43`.',
  },
  {
    needs: ['file_write'],
    text: 'A new file, or one that changes nearly everywhere: write all of it, and never "..." for the rest.',
  },
]

export const reporting: readonly Tip[] = [
  {
    needs: ['run'],
    text: 'Commands start in the project, without a shell: no pipes, redirections or globs. Those that look (cat grep find ls, git diff, git log and the like) and mv rm cp mkdir touch run at once. Any other needs my approval: if it fails with `approval_required`, say what it is for and go on without it.',
  },
]
