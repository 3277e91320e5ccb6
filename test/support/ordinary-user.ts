import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { inject } from 'vitest'
import { commandOf, type Ran } from './cli.ts'
import { scratchDir } from './scratch.ts'

const nobody = 65534

/** What differs in one call: further variables, or another working directory. */
interface Call {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

/**
 * The command line as somebody starts it who is not the superuser, to whom no permission applies. Everything below `dir`
 * is theirs from now on.
 */
export function ordinaryUser(dir: string, id = nobody): (args: readonly string[], input?: string, call?: Call) => Ran {
  // The project of these tests may lie where others cannot look.
  const home = scratchDir()
  fs.cpSync(inject('dist'), path.join(home, 'dist'), { recursive: true })
  const cli = inject('cli')
  const copy = path.join(home, 'dist', path.basename(cli))
  if (!fs.existsSync(copy)) fs.copyFileSync(cli, copy)
  fs.writeFileSync(path.join(home, 'package.json'), JSON.stringify({ version: '0.0.0-test' }))
  const ids = process.geteuid?.() === 0 ? { uid: id, gid: id } : {}
  if ('uid' in ids) execFileSync('chown', ['-R', `${id}:${id}`, dir, home])
  const env = { PATH: process.env['PATH'], HOME: home, XDG_STATE_HOME: path.join(home, 'state'), NO_COLOR: '1' }
  return (args, input = '', call = {}) => {
    const [file = '', ...first] = commandOf(copy)
    const { status, stdout, stderr } = spawnSync(file, [...first, ...args], {
      encoding: 'utf8',
      input,
      cwd: dir,
      ...ids,
      ...call,
      env: { ...env, ...call.env },
    })
    return { status, stdout, stderr }
  }
}
