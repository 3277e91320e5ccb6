import { toolFiles } from './makes-run.ts'
import { NameTable } from './name-table.ts'

/**
 * Files that can decide what a command runs, whatever tool reads them and however it finds them: those that tools read
 * without being told, and those that commands name. What they load in turn is source code.
 */
const startedByName: readonly string[] = [
  // Manifests, and where packages come from.
  'package.json package.json5 package.yaml deno.json deno.jsonc jsr.json bower.json lerna.json nx.json turbo.json',
  'rush.json workspace.json project.json angular.json pnpm-workspace.yaml pnpm-workspace.yml import_map.json',
  'pyproject.toml setup.cfg pipfile requirements*.txt requirements*.in constraints*.txt environment.yml',
  'environment.yaml meson.build meson_options.txt cargo.toml go.mod go.work gemfile *.gemspec gems.rb composer.json',
  'pom.xml *.gradle *.gradle.kts *.csproj *.fsproj *.vbproj *.vcxproj *.sln *.slnx *.props *.targets packages.config',
  'global.json mix.exs rebar.config *.cabal cabal.project* stack.yaml package.swift pubspec.yaml dune dune-project',
  '*.opam shard.yml project.clj deps.edn build.sbt *.sbt build.sc *.rockspec cpanfile description elm.json vcpkg.json',
  'conanfile.txt conandata.yml flake.nix shell.nix default.nix',
  // Lock files.
  '*.lock *.lockb *-lock.json *.lock.json *-lock.yaml *-lock.yml *.lock.hcl npm-shrinkwrap.json go.sum go.work.sum',
  'package.resolved .pnp.cjs .pnp.js .pnp.mjs .pnp.loader.mjs .pnp.data.json',
  // Packed packages.
  '*.tgz *.tar *.tar.gz *.tar.bz2 *.tar.xz *.tar.zst *.txz *.tbz2 *.whl *.egg *.gem *.crate *.jar *.nupkg *.zip',
  // Build files.
  'makefile makefile.* gnumakefile.* bsdmakefile *.mk *.mak *.make cmakelists.txt *.cmake configure configure.ac',
  '*.m4 *.am *.ac wscript build.ninja *.ninja *.gyp rakefile rakefile.* *.rake thorfile *.thor rantfile build.xml',
  'ivy.xml tox.ini nox.py tasks.py taskfile* *.bzl build build.bazel workspace workspace.bazel module.bazel *.nix',
  'cakefile dockerfile dockerfile.* *.dockerfile containerfile docker-compose* compose.yml compose.yaml docker-bake*',
  'vagrantfile brewfile gradlew gradlew.bat mvnw mvnw.cmd *.pri *.qbs magefile.go magefiles/ phing.xml robo.php',
  'premake4.lua sconscript.* *.scons wafile waf snakefile *.smk nextflow.config *.psake.ps1 build.ps1 build.sh',
  'build.cmd build.bat *.cake build.fsx',
  // Config files that are code, or name code.
  '*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts *.config.json .babelrc .babelrc.*',
  '.swcrc .mocharc.* .nycrc .nycrc.* .c8rc.json .ncurc.* pytest.ini .pytest.ini .coveragerc',
  '.releaserc .releaserc.* .czrc .cz.toml .env-cmdrc .env-cmdrc.* nodemon.json .nodemonrc',
  // Hooks, and directories of scripts.
  '.gitattributes hooks/ git-hooks/ scripts/ script/ bin/ .bin/ tools/ tasks/ rakelib/ gradle/ cmake/ make/ mk/ ci/',
  '.ci/ build-tools/ build_tools/ buildtools/ .config/ patches/ .patches/ bin-links/ devtools/ toolchain/ support/bin/',
]

let table: NameTable | undefined

const tableOfDeciders = (): NameTable => (table ??= new NameTable([...toolFiles(), ...startedByName]))

/** Whether a file of the project, or a directory with everything in it, can decide what a command runs. */
export const decidesItself = (relative: string, type: 'file' | 'directory'): boolean =>
  tableOfDeciders().names(relative, type)

/** The same for a file that may be in such a directory. */
export const decidesWhatRuns = (relative: string): boolean => tableOfDeciders().find(relative) !== undefined
