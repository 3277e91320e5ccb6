/** Wherever git is started: no configuration of the machine or the user, nothing asked, fetched, replaced or shown by others. */
export const hardenedGitEnv: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  GIT_ASKPASS: '/bin/false',
  GIT_TEST_DISALLOW_ABBREVIATED_OPTIONS: 'true',
}

/** The same against what a repository itself configures, and what else the caller sets. */
export const hardenedGitArgs = (...more: readonly string[]): readonly string[] => [
  '--no-pager',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.editor=:',
    'core.sshCommand=/bin/false',
    'credential.helper=',
    'protocol.allow=never',
    'log.showSignature=false',
    'gpg.program=/bin/false',
    'gpg.ssh.program=/bin/false',
    'gpg.x509.program=/bin/false',
    'diff.external=',
    'submodule.recurse=false',
    // Everything that git writes is on the disk before it says so; many objects are synced together.
    'core.fsync=all',
    'core.fsyncMethod=batch',
    'color.ui=never',
    ...more,
  ].flatMap((setting) => ['-c', setting]),
]
