import { gitOfUser } from './git-program.ts'
import type { Repository } from './repository.ts'

/** What is configured for a repository, as far as it matters to whoever only saves files there. */
export interface RepositoryConfig {
  /** Settings that decide about content and names, and run nothing, as a configuration has them. */
  readonly text: string
  /** Filters that would run a program. */
  readonly filters: ReadonlySet<string>
  readonly sparse: boolean
  /** By which it names its objects. */
  readonly hash: 'sha1' | 'sha256'
  /** Whether files on the disk have the modes that git has, and links are links. */
  readonly modes: boolean
  /** Whether it has no files of its own. */
  readonly bare: boolean
  /** Where its files are, when that is said. */
  readonly worktree: string | undefined
}

const harmless = new Set(
  (
    'core.filemode core.ignorecase core.symlinks core.autocrlf core.eol core.precomposeunicode core.protecthfs ' +
    'core.protectntfs core.trustctime core.checkstat core.excludesfile core.attributesfile core.bigfilethreshold ' +
    'core.compression core.loosecompression core.sparsecheckout core.sparsecheckoutcone core.sharedrepository ' +
    'index.sparse index.version extensions.objectformat'
  ).split(' '),
)

export async function readConfig(repository: Repository): Promise<RepositoryConfig> {
  const values = new Map<string, string>()
  const own = new Map<string, string>()
  const filters = new Set<string>()
  const words = (await listConfig(repository)).split('\0')
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope = '', item = ''] = words.slice(at, at + 2)
    const [name = '', ...rest] = item.split('\n')
    const value = rest.length === 0 ? 'true' : rest.join('\n')
    values.set(name, value)
    if (scope === 'local' || scope === 'worktree') own.set(name, value)
    const [, filter] = /^filter\.(.+)\.(?:clean|process)$/s.exec(name) ?? []
    if (filter !== undefined && rest.length > 0 && value !== '') filters.add(filter)
  }
  const lines = [...values].map(([name, value]) => {
    const [section = '', key = ''] = name.split('.')
    if (!harmless.has(name)) return ''
    return `[${section}]\n\t${key} = "${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"\n`
  })
  return {
    text: lines.join(''),
    filters,
    sparse: isTrue(values.get('core.sparsecheckout')),
    hash: values.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
    modes: isTrue(values.get('core.filemode') ?? 'true') && isTrue(values.get('core.symlinks') ?? 'true'),
    // About these git listens to nobody but the repository.
    bare: isTrue(own.get('core.bare')),
    worktree: own.get('core.worktree'),
  }
}

/** The ways in which git lets people say yes. */
const isTrue = (value = ''): boolean => /^(?:true|yes|on|[1-9]\d*)$/i.test(value)

/** What is configured for the repository, the machine and the user together. Reading it runs nothing. */
async function listConfig({ gitDir }: Repository): Promise<string> {
  const { out } = await gitOfUser(gitDir, { GIT_DIR: gitDir }, ['config', '-z', '--show-scope', '--list'])
  return out.toString()
}
