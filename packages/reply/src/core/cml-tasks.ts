/** What each task of CML is: its action, its attributes with the one that it cannot do without, and what is in the element. */
export const tasks = {
  write: { action: 'file_write', attributes: ['path', 'append'], needs: 'path', holds: 'text' },
  edit: { action: 'file_edit', attributes: ['path', 'count'], needs: 'path', holds: 'parts' },
  run: { action: 'run', attributes: ['dir'], needs: undefined, holds: 'text' },
  read: { action: 'file_read', attributes: ['path', 'lines'], needs: 'path', holds: 'nothing' },
  exec: { action: 'exec', attributes: ['lang', 'dir', 'timeout'], needs: 'lang', holds: 'text' },
  move: { action: 'file_move', attributes: ['from', 'to'], needs: 'from', holds: 'nothing' },
  remove: { action: 'file_delete', attributes: ['path'], needs: 'path', holds: 'nothing' },
} as const

export type TaskName = keyof typeof tasks
export type BlockName = 'tasks' | TaskName
export type Held = (typeof tasks)[TaskName]['holds']

export const isTaskName = (name: string): name is TaskName => Object.hasOwn(tasks, name)
export const taskNames: readonly TaskName[] = Object.keys(tasks).filter(isTaskName)
export const blockNames: readonly BlockName[] = ['tasks', ...taskNames]
