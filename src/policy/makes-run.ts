/**
 * Files that make other programs run commands though nobody says so: when a project is opened, entered or pushed. Models
 * may write them, it is ordinary work; the report says what they are, so that somebody looks. By the end of a path, in
 * small letters; with a slash at its end a directory and all that is in it.
 */
const runners: Readonly<Record<string, readonly string[]>> = {
  'VS Code': ['.vscode/tasks.json', '.vscode/settings.json', '.vscode/launch.json', '*.code-workspace'],
  'JetBrains IDEs': ['.idea/', '.run/'],
  Zed: ['.zed/tasks.json', '.zed/settings.json', '.zed/debug.json'],
  Vim: ['.vimrc', '.exrc', '.nvimrc', '.nvim.lua', '.lvimrc'],
  Emacs: ['.dir-locals.el', '.dir-locals-2.el'],
  'coding agents': ['.mcp.json', '.vscode/mcp.json', '.claude/', '.cursor/', '.gemini/', '.codex/', '.windsurf/'],
  'dev containers': ['.devcontainer/', '.devcontainer.json'],
  'the CI server': [
    '.github/workflows/',
    '.github/actions/',
    '.gitlab-ci.yml',
    '.circleci/',
    '.buildkite/',
    '.travis.yml',
    'azure-pipelines.yml',
    'bitbucket-pipelines.yml',
    'jenkinsfile',
  ],
  // HEAD: whoever goes into a directory that looks like a repository has its config read.
  git: ['.husky/', '.githooks/', 'head', '.pre-commit-config.yaml', 'lefthook.yml', '.lefthook.yml', '.gitconfig'],
  'package managers': [
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.yarn/',
    '.pnpmfile.cjs',
    '.cargo/config.toml',
    'bunfig.toml',
  ],
  shells: [
    '.envrc',
    'mise.toml',
    '.mise.toml',
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.config/fish/',
  ],
  debuggers: ['.gdbinit', '.lldbinit'],
  clada: ['clada.yml'],
}

/** One sentence for each program that these files, relative to the project, can make run commands. */
export function runWarnings(files: readonly string[]): string[] {
  const found = new Map<string, string[]>()
  for (const file of files) {
    const who = runnerOf(file)
    if (who !== undefined) found.set(who, [...(found.get(who) ?? []), file])
  }
  return [...found].map(([who, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    return `'${first}'${more} can make ${who} run commands; look at ${more === '' ? 'it' : 'them'} first`
  })
}

function runnerOf(file: string): string | undefined {
  const parts = file.toLowerCase().split('/')
  for (let from = 0; from < parts.length; from++) {
    for (let to = from + 1; to <= Math.min(parts.length, from + longest); to++) {
      const who = known.get(`${parts.slice(from, to).join('/')}${to === parts.length ? '' : '/'}`)
      if (who !== undefined) return who
    }
  }
  const name = parts.at(-1) ?? ''
  return known.get(`*${name.slice(name.lastIndexOf('.'))}`)
}

const known = new Map(Object.entries(runners).flatMap(([who, files]) => files.map((file) => [file, who] as const)))

/** In names. */
const longest = 2
