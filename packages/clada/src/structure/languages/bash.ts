import type { Language } from '../language.ts'

/** Assignments are structures where they are commands; before a command they are its environment. */
const places = 'program compound_statement declaration_command do_group if_statement elif_clause else_clause case_item'

export const bash: Language = {
  name: 'bash',
  extensions: 'sh bash zsh ksh bats',
  fileNames: '.bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile pkgbuild',
  interpreters: 'sh bash zsh ksh dash ash',
  fences: 'shell console',
  parser: {
    kind: 'tree-sitter',
    grammar: 'bash',
    structures: {
      function: 'function_definition',
      if: 'if_statement',
      else: 'elif_clause else_clause',
      for: 'for_statement c_style_for_statement',
      while: 'while_statement',
      switch: 'case_statement',
      case: 'case_item',
    },
    patterns: { variable: places.split(' ').map((place) => `(${place} (variable_assignment) @it)`) },
    wraps: 'declaration_command redirected_statement',
    whole: 'redirected_statement',
    separator: ';',
    comments: 'comment',
    verbatim: 'string raw_string',
    heredocs: 'heredoc_body heredoc_end',
    fragments: [
      ['', ''],
      ['case x in\n', '\nesac'],
    ],
  },
  modifiers: 'function export local readonly declare typeset',
  blankLines: { top: 1, inner: 0, single: 0 },
  indentation: 'units',
  unit: '  ',
}
