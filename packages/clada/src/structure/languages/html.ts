import type { Language } from '../language.ts'

export const html: Language = {
  name: 'html',
  extensions: 'html htm xhtml',
  parser: {
    kind: 'tree-sitter',
    grammar: 'html',
    structures: { element: 'element script_element style_element' },
    hollow: /^<(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b/i,
    comments: 'comment',
    names: {
      element: 'start_tag|self_closing_tag.tag_name',
      script_element: 'start_tag.tag_name',
      style_element: 'start_tag.tag_name',
    },
    headers: {
      element: 'start_tag self_closing_tag',
      script_element: 'start_tag',
      style_element: 'start_tag',
    },
    verbatimPatterns: ['(element (start_tag (tag_name) @name (#match? @name "^(?:pre|textarea)$"))) @it'],
    preamble: 'doctype',
    embedded: {
      javascript: '(script_element (raw_text) @it)',
      css: '(style_element (raw_text) @it)',
    },
  },
  blankLines: { top: 0, inner: 0, single: 0 },
  indentation: 'shift',
  unit: '  ',
}
