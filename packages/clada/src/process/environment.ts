import { platform } from '../core/platform.ts'

/** Environments for child processes. Nothing is handed on that was not meant for them. */

/** For programs of the list: the same on every machine. */
export const bareEnvironment: Readonly<Record<string, string>> = {
  PATH: platform.systemPath.slice(0, 2).join(platform.path.delimiter),
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
    ...needed(),
    PATH: path.join(platform.path.delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    PYTHONDONTWRITEBYTECODE: '1',
    ...(venv === undefined ? {} : { VIRTUAL_ENV: venv }),
  }
}

/** For commands that the user approved: what they need to know about the machine, and what the user added by name. */
export function commandEnvironment(
  user: Readonly<Record<string, string | undefined>>,
  facts: EnvironmentFacts & {
    readonly network: boolean
    /** Names that the user's config or the approval adds. */
    readonly more: readonly string[]
  },
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(user)) {
    const known = handedOn.has(name) || name.startsWith('LC_') || (facts.network && forNetwork.has(name))
    if (value === undefined || !(known || facts.more.includes(name))) continue
    if (facts.more.includes(name) || !/:\/\/[^/\s@]*@/.test(value)) env[name] = value
  }
  return {
    ...env,
    ...needed(),
    PATH: facts.path.join(platform.path.delimiter),
    HOME: facts.home,
    TMPDIR: '/tmp',
    ...(facts.venv === undefined ? {} : { VIRTUAL_ENV: facts.venv }),
  }
}

/** Without these a program of Windows does not find its system; the last keeps it from looking into the project first. */
const needed = (): Record<string, string> => {
  const known = platform.neededVariables.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return known.length === 0 ? {} : { ...Object.fromEntries(known), NoDefaultCurrentDirectoryInExePath: '1' }
}

/** Neither secrets nor anything that makes a program load code: where things are, and how output should look. */
const handedOn: ReadonlySet<string> = new Set(
  [
    'LANG LANGUAGE TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES USER LOGNAME SHELL CI',
    'NODE_ENV RAILS_ENV RACK_ENV APP_ENV PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONHASHSEED',
    'RUST_BACKTRACE RUST_LOG SOURCE_DATE_EPOCH DEBIAN_FRONTEND',
    'PYENV_ROOT PYENV_VERSION NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR RBENV_ROOT GOENV_ROOT',
    'JAVA_HOME MAVEN_HOME M2_HOME GRADLE_HOME ANDROID_HOME GOPATH GOROOT GOCACHE GOMODCACHE GOTOOLCHAIN CARGO_HOME',
    'RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTUP_AUTO_INSTALL DOTNET_ROOT DENO_DIR BUN_INSTALL PNPM_HOME UV_CACHE_DIR CONDA_PREFIX',
    'NIX_PATH XDG_CACHE_HOME XDG_DATA_HOME XDG_CONFIG_HOME',
  ]
    .join(' ')
    .split(' '),
)

/** Files that the environment names and programs with a network need. */
const certificates = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  'CARGO_HTTP_CAINFO',
  'NIX_SSL_CERT_FILE',
]

const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY']

const forNetwork: ReadonlySet<string> = new Set([
  ...certificates,
  ...proxies,
  ...proxies.map((name) => name.toLowerCase()),
])

export const certificatesIn = (user: Readonly<Record<string, string | undefined>>): string[] =>
  certificates.flatMap((name) => user[name] ?? [])
