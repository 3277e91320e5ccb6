/** The line above each cell of a notebook that is read as text: `# %% [code] ID`. */
export const cellHeader = /^# %% \[(code|markdown|raw)\](?: (\S+))?$/

/** Whether a text is written like the one that a notebook is shown as. */
export const looksLikeCells = (text: string): boolean =>
  cellHeader.test(text.slice(0, `${text}\n`.indexOf('\n')).trimEnd())
