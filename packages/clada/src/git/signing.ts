import fs from 'node:fs'
import path from 'node:path'
import { platform } from '../core/platform.ts'
import { isInProject, ownProgram } from '../process/programs.ts'
import { gitError, gitOfUser, globalConfig } from './git-program.ts'
import type { Signature } from './objects.ts'

/** What signs a commit on the user's branch; undefined where the user's own configuration does not ask for that. */
export async function usersSignature(): Promise<Signature | undefined> {
  const settings = await usersSigning()
  return settings && { settings, env: agents() }
}

/**
 * The settings of git with which the user signs commits; undefined where they do not. Only the user's global configuration
 * is asked: program, format and key of a repository come with it.
 */
async function usersSigning(): Promise<readonly string[] | undefined> {
  const home = platform.home()
  if (home === undefined || !mentionsSigning(home)) return undefined
  const keys = '^(commit\\.gpgsign|gpg\\.|user\\.(signingkey|name|email)$)'
  const args = ['config', '--global', '--includes', '--show-origin', '-z', '--get-regexp', keys]
  const { out } = await gitOfUser(home, {}, args, [1])
  const settings = settingsOutsideProject(out.toString())
  if (!/^(?:true|yes|on|1)$/i.test(settings.get('commit.gpgsign') ?? '')) return undefined
  const format = settings.get('gpg.format') ?? 'openpgp'
  const name = format === 'openpgp' ? 'gpg.program' : `gpg.${format}.program`
  const wanted = settings.get(`gpg.${format}.program`) ?? settings.get(name) ?? programs[format] ?? ''
  const program = ownProgram(wanted)
  if (program === undefined)
    throw gitError(
      `'${wanted}', which signs commits, is not there`,
      'Install it, or take commit.gpgSign out of your git configuration.',
    )
  const key = settings.get('user.signingkey') ?? `${settings.get('user.name')} <${settings.get('user.email')}>`
  const further = ['gpg.ssh.defaultkeycommand', 'gpg.ssh.allowedsignersfile'].flatMap((one) => {
    const value = settings.get(one)
    return value === undefined ? [] : [`${one}=${value}`]
  })
  const isAsked = format === 'ssh' && !settings.has('user.signingkey')
  return [`gpg.format=${format}`, `${name}=${program}`, ...(isAsked ? [] : [`user.signingkey=${key}`]), ...further]
}

/**
 * Each setting after where it comes from. Who keeps `~/.gitconfig` in a project, as a link or an include, lets replies edit
 * it, and a setting such as `gpg.ssh.defaultKeyCommand` is a program: what comes from a project does not count.
 */
function settingsOutsideProject(listed: string): Map<string, string> {
  const parts = listed.split('\0')
  const settings = new Map<string, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [origin = '', entry = ''] = parts.slice(at, at + 2)
    const end = entry.indexOf('\n')
    if (origin.startsWith('file:') && !isInProject(origin.slice('file:'.length)))
      settings.set(end === -1 ? entry : entry.slice(0, end), end === -1 ? 'true' : entry.slice(end + 1))
  }
  return settings
}

const programs: Readonly<Record<string, string>> = { openpgp: 'gpg', x509: 'gpgsm', ssh: 'ssh-keygen' }

/** Most users do not sign, and starting git to learn that takes longer than to look. */
function mentionsSigning(home: string): boolean {
  const config = process.env['XDG_CONFIG_HOME'] ?? path.join(home, '.config')
  const named = globalConfig()
  const files = named === undefined ? [path.join(home, '.gitconfig'), path.join(config, 'git', 'config')] : [named]
  return files.some((file) => {
    try {
      return /gpgsign|\[\s*include/i.test(fs.readFileSync(file, 'utf8'))
    } catch {
      return false
    }
  })
}

/** Where the programs that sign find their keys and ask for a passphrase. */
const agents = (): Record<string, string> =>
  Object.fromEntries(
    [
      'GNUPGHOME',
      'GPG_TTY',
      'SSH_AUTH_SOCK',
      'XDG_RUNTIME_DIR',
      'DISPLAY',
      'WAYLAND_DISPLAY',
      'DBUS_SESSION_BUS_ADDRESS',
    ]
      .map((name) => [name, process.env[name] ?? ''] as const)
      .filter(([, value]) => value !== ''),
  )
