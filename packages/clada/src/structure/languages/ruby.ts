import type { Language } from '../language.ts'

/** Where calls and assignments are statements. */
const places = ['program', 'body_statement', 'block_body', 'then', 'do', 'else', 'begin', 'ensure']

const modifiers = 'if_modifier unless_modifier while_modifier until_modifier rescue_modifier'

export const ruby: Language = {
  name: 'ruby',
  extensions: 'rb rake gemspec ru',
  fileNames: 'rakefile gemfile guardfile capfile vagrantfile brewfile podfile fastfile',
  interpreters: 'ruby jruby',
  parser: {
    kind: 'tree-sitter',
    grammar: 'ruby',
    structures: {
      class: 'class singleton_class',
      module: 'module',
      method: 'method singleton_method',
      key: 'pair',
      lambda: 'lambda',
      if: 'if unless',
      else: 'elsif else',
      for: 'for',
      while: 'while until',
      switch: 'case case_match',
      case: 'when in_clause',
      try: 'begin',
      catch: 'rescue',
      finally: 'ensure',
    },
    patterns: {
      variable: places.flatMap((place) => [`(${place} (assignment) @it)`, `(${place} (operator_assignment) @it)`]),
      call: places.flatMap((place) => [
        `(${place} (call block: (_)) @it)`,
        `(${place} (call arguments: (argument_list (lambda))) @it)`,
      ]),
    },
    // `private def run`.
    wrapPatterns: ['method', 'singleton_method'].map((type) => `(call arguments: (argument_list . (${type}) .)) @it`),
    // `begin … end while x`.
    wraps: modifiers,
    whole: modifiers,
    comments: 'comment',
    lists: 'hash argument_list',
    chains: 'if unless elsif',
    names: { singleton_class: '', setter: '' },
    unnamed: 'singleton_class',
    verbatim: 'string',
    heredocs: 'heredoc_body',
    preamblePatterns: ['(program (call method: (identifier) @name (#match? @name "^require")) @it)'],
    fragments: [
      ['', ''],
      ['x = {\n', '\n}'],
      ['case x\n', '\nend'],
    ],
  },
  modifiers: 'def class module private public protected',
  blankLines: { top: 1, inner: 1, single: 0 },
  indentation: 'units',
  unit: '  ',
}
