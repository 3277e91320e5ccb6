import { gitOfUser } from './git-program.ts'
import type { Repository } from './repository.ts'

/** The parts of a repository's configuration that matter for saving files. */
export interface RepositoryConfig {
  /** Whether git has read it: of a repository of a later kind it lists nothing. */
  readonly isRead: boolean
  /** The settings about content and names, which run no program, as the text of a config file. */
  readonly text: string
  /** Filters that would run a program. */
  readonly filters: ReadonlySet<string>
  readonly sparse: boolean
  /** The hash of object ids. */
  readonly hash: 'sha1' | 'sha256'
  /** Whether the file system has executable bits and links. */
  readonly modes: boolean
  readonly bare: boolean
  /** The configured working tree. */
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
    isRead: own.has('core.repositoryformatversion'),
    text: lines.join(''),
    filters,
    sparse: isTrue(values.get('core.sparsecheckout')),
    hash: values.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1',
    modes: isTrue(values.get('core.filemode') ?? 'true') && isTrue(values.get('core.symlinks') ?? 'true'),
    // Git reads these from the repository's own configuration only.
    bare: isTrue(own.get('core.bare')),
    worktree: own.get('core.worktree'),
  }
}

/** All spellings of true in git. */
const isTrue = (value = ''): boolean => /^(?:true|yes|on|[1-9]\d*)$/i.test(value)

/** The configuration of the repository, the machine and the user. Reading it starts no program. */
async function listConfig({ gitDir }: Repository): Promise<string> {
  const { out } = await gitOfUser(gitDir, { GIT_DIR: gitDir }, ['config', '-z', '--show-scope', '--list'])
  return out.toString()
}
