/** Environments for child processes. Nothing is handed on that was not meant for them. */

/** For programs of the list: the same on every machine. */
export const bareEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  HOME: '/nonexistent',
}

export interface EnvironmentFacts {
  readonly path: readonly string[]
  readonly home: string
  /** A virtual environment that is active. */
  readonly venv?: string | undefined
}

/** For code: built from nothing. */
export function codeEnvironment({ path, home, venv }: EnvironmentFacts): Record<string, string> {
  return {
    PATH: path.join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    PYTHONDONTWRITEBYTECODE: '1',
    ...(venv === undefined ? {} : { VIRTUAL_ENV: venv }),
  }
}

/** For commands that the user approved: the user's own, without what looks secret or leads out of the sandbox. */
export function commandEnvironment(
  user: Readonly<Record<string, string | undefined>>,
  facts: EnvironmentFacts,
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(user)) {
    if (value !== undefined && !isSecretName(name) && !isDoor(name) && !/:\/\/[^/\s@]*:[^/\s@]+@/.test(value))
      env[name] = value
  }
  return {
    ...env,
    PATH: facts.path.join(':'),
    HOME: facts.home,
    TMPDIR: '/tmp',
    ...(facts.venv === undefined ? {} : { VIRTUAL_ENV: facts.venv }),
  }
}

/** Files that the environment names and programs with a network need. */
export const certificatesIn = (user: Readonly<Record<string, string | undefined>>): string[] =>
  ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'].flatMap(
    (name) => user[name] ?? [],
  )

export const isSecretName = (name: string): boolean =>
  /TOKEN|SECRET|PASS(?:W|PHRASE|$)|PWD_|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE|AUTH|COOKIE|SESSION|_KEY$|^KEY|_PAT$|DSN|DATABASE_URL|CONNECTION_?STRING|WEBHOOK/i.test(
    name,
  )

/** Names that make programs load other code, or point at sockets of the host. */
const isDoor = (name: string): boolean =>
  /^(?:LD_|DYLD_|GIT_|SSH_|GPG_|DBUS_|CLADA_)/.test(name) ||
  [
    'BASH_ENV',
    'ENV',
    'PROMPT_COMMAND',
    'LESSOPEN',
    'LESSCLOSE',
    'DOCKER_HOST',
    'KUBECONFIG',
    'XDG_RUNTIME_DIR',
  ].includes(name) ||
  [
    'DISPLAY',
    'WAYLAND_DISPLAY',
    'XAUTHORITY',
    'TMUX',
    'STY',
    'PYTHONSTARTUP',
    'PERL5OPT',
    'RUBYOPT',
    'OLDPWD',
    'PWD',
  ].includes(name)
