/** Commands that need no approval and start no process: the workspace carries them out. The others on the list are git's. */

export const readingCommands = [
  'cat',
  'head',
  'tail',
  'grep',
  'find',
  'ls',
  'pwd',
  'tree',
  'wc',
  'diff',
  'file',
  'stat',
  'realpath',
  'xxd',
] as const
export type ReadingCommand = (typeof readingCommands)[number]

export const changingCommands = ['mv', 'rm', 'cp', 'mkdir', 'touch'] as const
export type ChangingCommand = (typeof changingCommands)[number]

export const isReadingCommand = (name: string): name is ReadingCommand => readingCommands.some((one) => one === name)
export const isChangingCommand = (name: string): name is ChangingCommand => changingCommands.some((one) => one === name)
