import { NameTable } from './name-table.ts'

/**
 * Files that make a program run commands, or tell an agent what to do, without being named: when a project is opened,
 * entered, built or pushed. Models may write them, which is ordinary work; the report says what they are, so that the
 * user looks at them. Files that are started by name (`package.json`, a Makefile, a Dockerfile) are not here.
 *
 * Each row: the end of a sentence that begins with the name of the file; ends of paths, in small letters, where `*` is any
 * part of a name and a slash at the end means a directory with everything in it.
 */
type TriggerRow = readonly [why: string, files: string]

/** By editors, agents, servers and shells. */
const readByOthers: readonly TriggerRow[] = [
  [
    'VS Code can run commands from it when the folder is opened',
    '.vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/mcp.json',
  ],
  ['VS Code can run tasks from it when the workspace is opened', '*.code-workspace'],
  ['JetBrains IDEs run its configurations and startup tasks', '.idea/ .run/'],
  ['Fleet runs the commands in it', '.fleet/'],
  ['Zed starts language servers and tasks from it', '.zed/tasks.json .zed/settings.json .zed/debug.json'],
  ['Vim runs it in a directory where exrc is on', '.vimrc .exrc .gvimrc _vimrc .lvimrc .vim/'],
  ['Neovim runs it in a directory where exrc is on', '.nvimrc .nvim.lua .nvim/'],
  ['Emacs evaluates it when a file below it is opened', '.dir-locals.el .dir-locals-2.el'],
  ['Helix starts the language servers it names', '.helix/languages.toml .helix/config.toml'],
  ['Kakoune can run it in the project', '.kakrc .kak/'],
  ['Sublime Text takes build systems from it, which are commands', '*.sublime-project'],
  ['YouCompleteMe runs it when a source file is opened', '.ycm_extra_conf.py'],
  ['it decides which language servers start', '.ccls .lsp.json .nvim-lsp.json coc-settings.json'],
  ['dev containers run its commands when the folder is opened', '.devcontainer/ .devcontainer.json'],
  ['Gitpod runs its tasks when the project is opened', '.gitpod.yml .gitpod.dockerfile'],
  ['cloud workspaces run its commands when the project is opened', 'devfile.yaml .devfile.yaml'],
  ['Replit runs it when the project is opened', '.replit replit.nix'],
  ['Firebase Studio runs its hooks when the project is opened', '.idx/'],
  ['online editors run its start command when the project is opened', '.stackblitzrc .codesandbox/'],
  ['coding agents start the servers it names', '.mcp.json'],
  ['Claude Code follows it and runs its hooks', '.claude/ claude.md .claude.json'],
  ['coding agents follow it', 'agents.md agent.md .agents/ .agent/'],
  ['Cursor follows it and runs its hooks and servers', '.cursor/ .cursorrules'],
  ['Windsurf follows it', '.windsurf/ .windsurfrules .codeium/'],
  ['Gemini CLI follows it and starts its servers', '.gemini/ gemini.md'],
  ['Codex follows it and starts its servers', '.codex/'],
  ['aider takes its commands for lint and test from it', '.aider.conf.yml .aider.conf.yaml .aider*'],
  [
    'Cline and similar agents follow it',
    '.clinerules .clinerules/ .cline/ .roo/ .roorules .roomodes .roorules-* .kilocode/',
  ],
  ['Continue takes models, rules and servers from it', '.continue/ .continuerc.json'],
  [
    'Copilot follows it',
    '.github/copilot-instructions.md .github/instructions/ .github/prompts/ .github/chatmodes/ .github/agents/',
  ],
  [
    'coding agents follow it',
    '.junie/ .amazonq/ .kiro/ .trae/ .augment/ .augment-guidelines .goosehints .openhands/ .opencode/ .qwen/ ' +
      'qwen.md .crush.json',
  ],
  ['GitHub runs it', '.github/workflows/ .github/actions/'],
  [
    'it controls bots that open and merge pull requests',
    '.github/dependabot.yml renovate.json5 .renovaterc .renovaterc.json',
  ],
  ['GitLab runs it on every push', '.gitlab-ci.yml .gitlab-ci.yaml .gitlab/ci/ .gitlab-ci/'],
  ['Gitea runs it on every push', '.gitea/workflows/ .gitea/actions/'],
  ['Forgejo runs it on every push', '.forgejo/workflows/ .forgejo/actions/'],
  ['CircleCI runs it on every push', '.circleci/'],
  ['Buildkite runs it on every push', '.buildkite/'],
  ['Travis runs it on every push', '.travis.yml'],
  [
    'Drone and Woodpecker run it on every push',
    '.drone.yml .drone.yaml .drone.star .drone.jsonnet .woodpecker.yml .woodpecker.yaml .woodpecker/',
  ],
  [
    'Azure runs it on every push',
    'azure-pipelines.yml azure-pipelines.yaml .azure-pipelines/ .azuredevops/ .pipelines/',
  ],
  ['Bitbucket runs it on every push', 'bitbucket-pipelines.yml'],
  ['Jenkins runs it on every push', 'jenkinsfile jenkinsfile.* *.jenkinsfile'],
  [
    'a CI server runs it on every push',
    'appveyor.yml .appveyor.yml .cirrus.yml .cirrus.star .semaphore/ wercker.yml codeship-steps.yml .builds/ ' +
      '.build.yml cloudbuild.yaml cloudbuild.yml buildspec.yml buildspec.yaml .teamcity/ .concourse/ .tekton/ ' +
      'screwdriver.yaml .harness/ .scrutinizer.yml .codefresh/ codefresh.yml bors.toml .prow.yaml',
  ],
  [
    'a hosting service builds and starts what it names on every push',
    'netlify.toml now.json render.yaml procfile procfile.* heroku.yml railway.json railway.toml nixpacks.toml ' +
      '.platform.app.yaml amplify.yml apprunner.yaml',
  ],
  ['Read the Docs runs its build commands on every push', '.readthedocs.yml .readthedocs.yaml readthedocs.yml'],
  ['direnv and Nix run it when the directory is entered', '.envrc devenv.nix devenv.yaml .direnvrc devbox.json'],
  [
    'a shell or session runs it when it starts',
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .zshrc .zshenv .zprofile ' +
      '.zlogin .zlogout .config/fish/ .kshrc .mkshrc .cshrc .tcshrc .login .xprofile .xinitrc .xsession ' +
      '.config/nushell/ .elvish/ .screenrc .tmux.conf .config/autostart/ .config/systemd/ profile.ps1 ' +
      'microsoft.powershell_profile.ps1 autoexec.bat autorun.inf',
  ],
  ['version control runs the hooks and programs that it names', '.hg/ .svn/ .bzr/ .jj/'],
  ['Eclipse and NetBeans run the builders and scripts it names', '.project .externaltoolbuilders/ nbproject/'],
  [
    'a file manager runs it, or loads what it names, when it is clicked or its folder is opened',
    '*.desktop *.lnk *.url *.webloc *.scf *.library-ms *.command *.terminal desktop.ini',
  ],
  ['OpenCode starts the servers and commands in it', 'opencode.json opencode.jsonc'],
  ['it decides what clada allows', 'clada.yml clada.yaml'],
  ['clada watch runs the blocks in it', 'clada_input.md'],
]

/** By tools that build, install, test, check and commit: a command that the user approves may start them too. */
const readByTools: readonly TriggerRow[] = [
  ['git runs it as a hook', '.husky/ .githooks/ .git-hooks/ githooks/'],
  [
    'pre-commit runs its hooks on every commit',
    '.pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml',
  ],
  [
    'Lefthook runs it as git hooks',
    'lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml lefthook.toml .lefthook.toml lefthook.json ' +
      '.lefthook.json lefthook-local.yml .lefthook/ .lefthook-local/',
  ],
  [
    'hook managers run it on every commit',
    '.overcommit.yml .captainhook.json captainhook.json grumphp.yml grumphp.yml.dist .simple-git-hooks.json ' +
      '.simple-git-hooks.js .simple-git-hooks.cjs simple-git-hooks.json .huskyrc .huskyrc.* .lintstagedrc ' +
      '.lintstagedrc.* lint-staged.config.* .ghooks cargo-husky/ .cargo-husky/ .rusty-hook.toml',
  ],
  ['git takes filters, drivers or addresses of other repositories from it', '.gitconfig .gitmodules'],
  ['a directory with it looks like a repository to git, whose config is then read', 'head'],
  [
    'package managers run programs or load code that it names',
    '.npmrc .yarnrc .yarnrc.yml .yarnrc.yaml .yarn/ .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .bunfig.toml',
  ],
  ['npm install builds what it describes', 'binding.gyp *.gypi .node-gyp/'],
  ['cargo takes linkers, runners and aliases from it, which are programs', '.cargo/config.toml .cargo/config'],
  ['cargo runs it at every build, and editors too', 'build.rs'],
  ['pytest runs it, and editors that look for tests too', 'conftest.py'],
  ['every Python that has it on its path runs it', 'sitecustomize.py usercustomize.py *.pth'],
  [
    'Python build tools run it',
    'setup.py noxfile.py dodo.py fabfile.py sconstruct sconscript conanfile.py .pythonrc .pythonstartup',
  ],
  ['Python tools load the plugins and build backends that it names', 'pip.conf pip.ini hatch_build.py'],
  ['pdb runs it when it starts in this directory', '.pdbrc .pdbrc.py'],
  ['IPython and Jupyter run it when they start here', '.ipython/ ipython_config.py jupyter_*_config.py .jupyter/'],
  ['R runs it when it starts in this directory', '.rprofile rprofile.site .renviron renv/activate.r'],
  [
    'Ruby tools run it, or load the code it names',
    '.irbrc .pryrc .guardfile guardfile capfile .byebugrc .railsrc .gemrc .bundle/config',
  ],
  ['Elixir runs it when iex or mix starts here', '.iex.exs'],
  ['GHC and its tools run it when they start here', '.ghci .ghcid setup.hs hie.yaml'],
  ['Scala build tools run it', '.sbtopts .jvmopts .ammonite/'],
  ['Maven takes JVM options, extensions and its wrapper from it', '.mvn/'],
  [
    'Gradle runs it, and IDEs when they open the project',
    'gradle.properties build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle ' +
      'init.gradle.kts buildsrc/',
  ],
  [
    'Bazel, Buck and similar tools run the programs that it names',
    '.bazelrc bazel.bazelrc .bazeliskrc tools/bazel .buckconfig .buckconfig.local .buckroot .plz/ .plzconfig ' +
      'pants.toml',
  ],
  [
    'IDEs run it when they open the project',
    'cmakepresets.json cmakeuserpresets.json xmake.lua premake5.lua build.zig',
  ],
  [
    'MSBuild runs its targets, also when an IDE opens the project',
    'directory.build.props directory.build.targets directory.build.rsp msbuild.rsp nuget.config ' +
      '.config/dotnet-tools.json *.suo',
  ],
  [
    'Xcode and its tools run it when they open or build the project',
    '*.xcodeproj/ *.xcworkspace/ fastfile fastlane/ cartfile',
  ],
  [
    'a task runner runs the commands in it',
    '.justfile justfile *.just taskfile.yml taskfile.yaml taskfile.dist.yml taskfile.dist.yaml .taskrc.yml ' +
      'gnumakefile makefile.am makefile.pl build.pl gruntfile.* gulpfile.* jakefile* earthfile tiltfile ' +
      'skaffold.yaml moon.yml .moon/ bb.edn mise-tasks/ .mise/',
  ],
  [
    'version managers choose programs by it, and some run its hooks',
    'mise.toml .mise.toml mise.local.toml .config/mise.toml .config/mise/ .rtx.toml .asdfrc ' +
      'proto.toml .prototools .autoenv.zsh .autoenv .lando.yml .ddev/',
  ],
  [
    'debuggers run it when they start here',
    '.gdbinit .lldbinit .lldbinit-* .radare2rc .rizinrc .gdbearlyinit *-gdb.py',
  ],
  [
    'a program reads it when it starts here and can run commands from it',
    '.sqliterc .psqlrc .my.cnf .mongorc.js .mongoshrc.js .duckdbrc .octaverc .julia/config/ .juliarc.jl .perldb ' +
      '.ocamlinit .utoprc .luarc.json .busted .noderc .tclshrc .wishrc .gnuplot .maximarc .sageinit .clisprc ' +
      '.sbclrc .guile .racketrc .curlrc .wgetrc .ackrc .ripgreprc .lesskey .mailcap .hgrc',
  ],
  [
    'editors run it, or code that it names, when they check or format an open file',
    '.eslintrc.js .eslintrc.cjs eslint.config.js eslint.config.cjs eslint.config.mjs eslint.config.ts .prettierrc.js ' +
      '.prettierrc.cjs .prettierrc.mjs .prettierrc.ts prettier.config.js prettier.config.cjs prettier.config.mjs ' +
      'prettier.config.ts .stylelintrc.js .stylelintrc.cjs .stylelintrc.mjs stylelint.config.js ' +
      'stylelint.config.cjs stylelint.config.mjs .pylintrc pylintrc .rubocop.yml .solargraph.yml .php-cs-fixer.php ' +
      '.php-cs-fixer.dist.php',
  ],
  [
    'it decides where compilers and tools are taken from, also from the project',
    'rust-toolchain rust-toolchain.toml .tool-versions',
  ],
]

const rows = [...readByOthers, ...readByTools]

export const runners = () => rows.map(([why, files]) => ({ why, files: files.split(' ') }))

export const toolFiles = (): string[] => readByTools.map(([, files]) => files)

/** One sentence for each reason why these files, relative to the project, should be looked at. */
export function runWarnings(files: readonly string[]): string[] {
  const found = new Map<string, string[]>()
  for (const file of files) {
    const name = table.find(file)
    const why = rows.find(([, names]) => name !== undefined && names.split(' ').includes(name))?.[0]
    if (why !== undefined) found.set(why, [...(found.get(why) ?? []), file])
  }
  return [...found].map(([why, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    return `'${first}'${more}: ${why}. Look at ${more === '' ? 'it' : 'them'} first`
  })
}

const table = new NameTable(rows.map(([, files]) => files))
