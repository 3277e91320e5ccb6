/** How a language says that a line is a comment. `close` is empty where a comment ends with its line. */
export interface CommentMarks {
  readonly open: string
  readonly close: string
}

const families: readonly { open: string; close?: string; extensions: string; names?: string }[] = [
  {
    open: '//',
    extensions:
      'ts tsx mts cts js jsx mjs cjs java c h cc cpp cxx hpp hh cs go rs swift kt kts scala groovy dart php zig proto scss less sass jsonc json5 v sv sol gradle d glsl hlsl wgsl fs fsx fsi',
  },
  {
    open: '#',
    extensions:
      'py pyi rb sh bash zsh fish ksh pl pm r yml yaml toml ini cfg conf properties env tcl awk jl nim ex exs cr ps1 tf hcl mk cmake nix gd gitignore dockerignore editorconfig',
    names:
      'makefile gnumakefile dockerfile containerfile rakefile gemfile cmakelists.txt .bashrc .zshrc .profile .gitignore .gitattributes .dockerignore .editorconfig .npmignore',
  },
  { open: '--', extensions: 'sql lua hs elm adb ads vhd vhdl applescript' },
  { open: ';', extensions: 'lisp cl el scm ss rkt clj cljs cljc edn asm s' },
  { open: '%', extensions: 'tex sty cls erl hrl m pro' },
  { open: '"', extensions: 'vim', names: '.vimrc' },
  { open: '!', extensions: 'f90 f95 f03 f08' },
  { open: '<!--', close: '-->', extensions: 'html htm xml xhtml svg md markdown vue svelte xsl xslt' },
  { open: '/*', close: '*/', extensions: 'css' },
  { open: '(*', close: '*)', extensions: 'ml mli sml' },
  { open: 'REM', extensions: 'bat cmd' },
  { open: "'", extensions: 'vb vbs bas' },
]

export function commentMarksFor(path: string): CommentMarks | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase()
  const dot = name.lastIndexOf('.')
  const extension = dot === -1 ? undefined : name.slice(dot + 1)
  const family =
    families.find(({ names = '' }) => names.split(' ').includes(name)) ??
    families.find(({ extensions }) => extension !== undefined && extensions.split(' ').includes(extension))
  return family === undefined ? undefined : { open: family.open, close: family.close ?? '' }
}
