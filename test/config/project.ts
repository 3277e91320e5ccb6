import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { trust } from '../../packages/clada/src/config/trust.ts'
import { fill, scratchDir } from '../support/scratch.ts'

export interface Home {
  readonly home: string
  readonly project: string
}

/** A home directory of its own and a project in it, with what their config files say; `link` leads out of the project. */
export function homeWith(files: { user?: string; project?: string; trusted?: boolean; link?: boolean }): Home {
  const home = scratchDir({ 'proj/sub/a.txt': 'a\n', 'elsewhere/b.txt': 'b\n', 'shared/part/c.txt': 'c\n' })
  const project = path.join(home, 'proj')
  if (files.link) fs.symlinkSync(path.join(home, 'elsewhere'), path.join(project, 'out'))
  if (files.user !== undefined) fill(home, { '.config/clada/config.yml': files.user })
  if (files.project !== undefined) fill(project, { 'clada.yml': files.project })
  for (const [name, value] of Object.entries(environmentFor(home))) vi.stubEnv(name, value)
  // A thread of the tests has an environment of its own, which the system's idea of home does not follow.
  const spy = vi.spyOn(os, 'homedir').mockReturnValue(home)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    spy.mockRestore()
  })
  if (files.trusted && !trust({ place: project, root: project }, files.project ?? ''))
    throw new Error('the project cannot be trusted')
  return { home, project }
}

export const environmentFor = (home: string): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: '',
})
