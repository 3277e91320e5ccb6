import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { fill } from '../support/scratch.ts'
import { missing, startWorkbench, type Window, type WindowOptions, type Workbench } from './workbench.ts'

/** One window on one project, through all tests of a story. */
export interface Story {
  readonly window: Window
  readonly root: string
  read(file: string): string
}

export interface StoryOptions extends WindowOptions {
  /** What is opened, if it is not the directory of the files. */
  readonly open?: string
  /** What files alone cannot say. */
  readonly prepare?: (root: string) => void
}

/** Groups of tests in one workbench. They are skipped where there is none. */
export function workbench(
  title: string,
  tell: (
    story: (
      title: string,
      files: Record<string, string>,
      tests: (at: () => Story) => void,
      options?: StoryOptions,
    ) => void,
  ) => void,
  options: Parameters<typeof startWorkbench>[0] = {},
): void {
  describe(title, () => {
    let started: Workbench | undefined
    const running = (): Workbench => {
      if (started === undefined) throw new Error('there is no workbench')
      return started
    }
    beforeAll(async () => {
      if (missing === undefined) started = await startWorkbench(options)
    })
    afterAll(() => started?.close())
    beforeEach(({ skip }) => {
      if (missing !== undefined) skip(missing)
    })
    tell((name, files, tests, { open = '', prepare, ...how } = {}) => {
      describe(name, () => {
        let current: Story | undefined
        beforeAll(async () => {
          if (missing !== undefined) return
          const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-story-')))
          fill(root, files)
          prepare?.(root)
          const window = await running().open(path.join(root, open), how)
          current = { window, root, read: (file) => fs.readFileSync(path.join(root, file), 'utf8') }
        })
        afterAll(async () => {
          await current?.window.close()
          if (current !== undefined) fs.rmSync(current.root, { recursive: true, force: true })
        })
        afterEach(async ({ task }) => {
          if (task.result?.state === 'fail') await current?.window.picture(`failed ${task.name}`)
        })
        tests(() => {
          if (current === undefined) throw new Error('the story has not begun')
          return current
        })
      })
    })
  })
}

/** An edit as most models write it. */
export const edit = (file: string, before: string, after: string): string =>
  `${file}\n\`\`\`\n<<<<<<< SEARCH\n${before}\n=======\n${after}\n>>>>>>> REPLACE\n\`\`\`\n\n`

/** A block in clada's own syntax. */
export const block = (id: string, params: Readonly<Record<string, string>>): string =>
  [
    `#!SHAM [@three-char-SHA-256: ${id}]`,
    ...Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    `#!END_SHAM_${id}`,
    '',
  ].join('\n')
