import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { platform } from '../core/platform.ts'
import { pathOutside } from './programs.ts'

/** Environments for child processes. Nothing is handed on that was not meant for them. */

/** For programs of the system that clada starts: the same on every machine. */
export const bareEnvironment: Readonly<Record<string, string>> = {
  PATH: platform.systemPath.slice(0, 2).join(platform.path.delimiter),
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  HOME: '/nonexistent',
}

/**
 * For a program that is kept from the network: it fails at once and says why. `npx` with a tool that is not installed
 * asked the registry for more than a minute, so it reached its time limit without a word.
 */
export const withoutRetries: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
}

export interface EnvironmentFacts {
  readonly path: readonly string[]
  readonly home: string
  /** A virtual environment that is active. */
  readonly venv?: string | undefined
}

/** For code: built from nothing. */
export function codeEnvironment({ path, home, venv }: EnvironmentFacts): Record<string, string> {
  return withoutUndefined({
    ...neededVariables(),
    PATH: path.join(platform.path.delimiter),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    PYTHONDONTWRITEBYTECODE: '1',
    VIRTUAL_ENV: venv,
  })
}

/** For commands that the user approved: what they need to know about the machine, and what the user added by name. */
export function commandEnvironment(
  user: Readonly<Record<string, string | undefined>>,
  facts: EnvironmentFacts & {
    readonly network: boolean
    /** Directories that no code may be loaded from by a variable: a program that may do more than code takes none of the project. */
    readonly unloaded: readonly string[]
    /** Names that the user's config or the approval adds. */
    readonly more: readonly string[]
  },
): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(user)) {
    if (value === undefined) continue
    const known = handedOn.has(name) || loadPaths.has(name) || name.startsWith('LC_') || isPlainOptions(name, value)
    if (!(known || facts.more.includes(name) || (facts.network && forNetwork.has(name)))) continue
    if (loadPaths.has(name) && !facts.more.includes(name)) {
      const dirs = pathsOutside(value, facts.unloaded)
      if (dirs !== '') env[name] = dirs
    } else if (facts.more.includes(name) || !/:\/\/[^/\s@]*@/.test(value)) env[name] = value
  }
  return withoutUndefined({
    ...env,
    ...neededVariables(),
    PATH: facts.path.join(platform.path.delimiter),
    HOME: facts.home,
    TMPDIR: '/tmp',
    VIRTUAL_ENV: facts.venv ?? env['VIRTUAL_ENV'],
  })
}

/** An empty or relative entry of such a list is a directory of the project. */
const pathsOutside = (list: string, roots: readonly string[]): string =>
  roots.length === 0 ? list : pathOutside(list, roots).join(platform.path.delimiter)

/** Without these a program of Windows does not find its system; the last keeps it from looking into the project first. */
const neededVariables = (): Record<string, string> => {
  const known = platform.neededVariables.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return known.length === 0 ? {} : { ...Object.fromEntries(known), NoDefaultCurrentDirectoryInExePath: '1' }
}

/** What toolchains need to know about a machine and no secret is kept in: where things are, how to build, how output looks. */
const handedOn: ReadonlySet<string> = new Set(
  [
    // Language, terminal, user
    'LANG LANGUAGE TZ TERM TERMINFO TERMINFO_DIRS TERM_PROGRAM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE',
    'COLUMNS LINES USER LOGNAME SHELL HOSTNAME XDG_CACHE_HOME XDG_DATA_HOME XDG_CONFIG_HOME SOURCE_DATE_EPOCH',
    // Which machine and which setting this is
    'CI CONTINUOUS_INTEGRATION GITHUB_ACTIONS GITLAB_CI CIRCLECI TRAVIS BUILDKITE TEAMCITY_VERSION DEBIAN_FRONTEND',
    'NODE_ENV BABEL_ENV RAILS_ENV RACK_ENV APP_ENV MIX_ENV FLASK_APP FLASK_ENV FLASK_DEBUG DJANGO_SETTINGS_MODULE',
    'ASPNETCORE_ENVIRONMENT DOTNET_ENVIRONMENT SPRING_PROFILES_ACTIVE DEBUG LOG_LEVEL VERBOSE PORT',
    // git
    'GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE',
    // C and everything that is built with it
    'CC CXX CPP AR AS LD NM RANLIB STRIP OBJCOPY CFLAGS CPPFLAGS CXXFLAGS LDFLAGS LDLIBS CPATH C_INCLUDE_PATH',
    'CPLUS_INCLUDE_PATH LIBRARY_PATH PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR',
    'NINJA_STATUS CMAKE_GENERATOR CMAKE_PREFIX_PATH CMAKE_BUILD_TYPE CMAKE_BUILD_PARALLEL_LEVEL CTEST_OUTPUT_ON_FAILURE',
    'SDKROOT DEVELOPER_DIR MACOSX_DEPLOYMENT_TARGET CUDA_HOME CUDA_PATH CUDA_VISIBLE_DEVICES OMP_NUM_THREADS MKL_NUM_THREADS',
    'ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS MSAN_OPTIONS',
    // Python
    'PYTHONHOME PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONUTF8 PYTHONIOENCODING PYTHONHASHSEED PYTHONWARNINGS',
    'PYTHONNOUSERSITE PYTHONUSERBASE PYTHONOPTIMIZE PYTHONFAULTHANDLER PYTHONPYCACHEPREFIX PYTHONSAFEPATH PYTEST_ADDOPTS',
    'VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION UV_CACHE_DIR UV_PYTHON POETRY_HOME PIP_CACHE_DIR MPLBACKEND',
    // JavaScript
    'NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR TS_NODE_PROJECT TS_NODE_TRANSPILE_ONLY',
    'PLAYWRIGHT_BROWSERS_PATH PUPPETEER_EXECUTABLE_PATH PUPPETEER_CACHE_DIR CYPRESS_CACHE_FOLDER CHROME_BIN',
    // Other languages
    'JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME KOTLIN_HOME SCALA_HOME ANDROID_HOME ANDROID_SDK_ROOT',
    'ANDROID_NDK_HOME FLUTTER_ROOT GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOTOOLCHAIN GOFLAGS GOOS GOARCH GOARM GOAMD64 GOWORK',
    'GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB GO111MODULE CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS GOENV_ROOT',
    'CARGO_HOME CARGO_TARGET_DIR CARGO_INCREMENTAL CARGO_TERM_COLOR CARGO_BUILD_JOBS CARGO_BUILD_TARGET CARGO_NET_OFFLINE RUSTFLAGS',
    'RUSTDOCFLAGS RUSTC RUSTC_WRAPPER RUST_BACKTRACE RUST_LOG RUST_TEST_THREADS RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTUP_AUTO_INSTALL',
    'RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH BUNDLE_GEMFILE BUNDLE_WITHOUT COMPOSER_HOME COMPOSER_CACHE_DIR',
    'R_HOME JULIA_PROJECT JULIA_DEPOT_PATH STACK_ROOT CABAL_DIR OPAM_SWITCH_PREFIX',
    'MIX_HOME HEX_HOME DOTNET_ROOT DOTNET_NOLOGO DOTNET_CLI_TELEMETRY_OPTOUT NUGET_PACKAGES',
    'ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR NIX_PATH QT_QPA_PLATFORM',
  ]
    .join(' ')
    .split(' '),
)

/** Directories that programs load code from. */
const loadPaths: ReadonlySet<string> = new Set(
  'PYTHONPATH NODE_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH RUBYLIB PERL5LIB R_LIBS R_LIBS_USER OCAMLPATH CAML_LD_LIBRARY_PATH ERL_LIBS'.split(
    ' ',
  ),
)

/**
 * Options of Node are handed on unless one names a file or a module: editors make their terminals load a debugger, which no
 * program in the sandbox could open, and a module may be one of the project.
 */
const isPlainOptions = (name: string, value: string): boolean =>
  name === 'NODE_OPTIONS' &&
  /^(?:--(?!require|import|loader|experimental-loader|env-file)[\w-]+(?:=[\w.:-]+)?(?:\s+|$))+$/.test(value)

/** Of the desktop, the shell and the terminal: no program of a project fails for want of these. */
const ofSession = new RegExp(
  `^(?:${[
    '_|PWD|OLDPWD|SHLVL|MAIL|DISPLAY|WAYLAND_.*|XAUTHORITY|WINDOWID|SSH_.*|GPG_.*|DBUS_.*|XDG_.*|GNOME_.*|GTK_.*|KDE_.*|QT_.*',
    'DESKTOP_.*|SESSION_.*|MANAGERPID|SYSTEMD_.*|INVOCATION_ID|JOURNAL_STREAM|MEMORY_PRESSURE_.*|LS_COLORS|LSCOLORS|LESS.*|PAGER|MANPATH|MANPAGER|INFOPATH',
    'EDITOR|VISUAL|BROWSER|HIST.*|PS\\d|PROMPT.*|BASH.*|ZSH.*|ZDOTDIR|FISH.*|STARSHIP_.*|P9K_.*|VTE_.*|TMUX.*|STY|TERM_.*|ITERM_.*|KITTY_.*',
    'ALACRITTY_.*|WEZTERM_.*|GHOSTTY_.*|COLORFGBG|VSCODE_.*|CURSOR_.*|ELECTRON_.*|CHROME_.*|GIT_ASKPASS|GIO_.*|IM_CONFIG_.*|INPUT_METHOD',
    'WSL.*|WT_.*|OSTYPE|HOSTTYPE|MACHTYPE|Apple_.*|__CF.*|XPC_.*|COMMAND_MODE|SECURITYSESSIONID|npm_.*|INIT_CWD|NODE|COLOR|CLADA_.*',
    'NVM_.*|PYENV_.*|CONDA_.*|ASDF_.*|MISE_.*|SDKMAN_.*|RBENV_.*|HOMEBREW_.*|NIX_.*|SUDO_.*|ALLUSERSPROFILE|PUBLIC|COMPUTERNAME|USERDOMAIN.*',
    'LOGONSERVER|DriverData|OneDrive.*|PSModulePath|PROCESSOR_.*|Chocolatey.*|CommonProgram.*|SESSIONNAME|EFC_.*',
  ].join('|')})$`,
)

/** Variables of the user that a program did not get and could have missed. */
export const withheldNames = (
  user: Readonly<Record<string, string | undefined>>,
  passed: Readonly<Record<string, string>>,
): string[] =>
  Object.keys(user)
    .filter((name) => /^\w{3,}$/.test(name) && !Object.hasOwn(passed, name) && !ofSession.test(name))
    .sort()

/** Whether it is a setting without secrets: code has no use for the user's, and can make its own. */
export const isSetting = (name: string): boolean => handedOn.has(name)

/** Those that a text names. */
export function variablesNamedIn(text: string, names: readonly string[]): string[] {
  const words = new Set(text.match(/\w+/g))
  return names.filter((name) => words.has(name))
}

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
