import type { OutlineEntry } from './document.ts'

/**
 * The structures of a file as a person would name them: classes, functions, types, fields, sections, keys, and constants
 * at the top. `list_structures` gives everything that has a header; this leaves out what is only a step inside code.
 */
export function outlineView(structures: readonly OutlineEntry[]): OutlineEntry[] {
  return visibleEntries(structures, 'open')
}

/**
 * Where a structure is. `open`: at the top of the file, or in a class, a section and the like. `value`: in what a name
 * is bound to, an object or a call. `body`: in code.
 */
type Nesting = 'open' | 'value' | 'body'

interface Role {
  /** Where it is shown. */
  readonly shown: readonly Nesting[]
  /** Where that leaves what is inside it; `nowhere` where that is not worth a look. */
  readonly inside: Nesting | 'nowhere'
  /** Shown only around something that is. */
  readonly frame?: true
}

const everywhere: readonly Nesting[] = ['open', 'value', 'body']
const holder: Role = { shown: everywhere, inside: 'open' }
const code: Role = { shown: everywhere, inside: 'body' }
const entry: Role = { shown: ['open', 'value'], inside: 'value' }
const step: Role = { shown: [], inside: 'body' }
const called: Role = { shown: ['open'], inside: 'body' }
const text: Role = { shown: [], inside: 'nowhere' }

/** Every kind of structure; a test holds this against the languages. */
export const roles: Readonly<Record<string, Role>> = {
  class: holder,
  interface: holder,
  enum: holder,
  struct: holder,
  trait: holder,
  impl: holder,
  type: holder,
  module: holder,
  section: holder,
  cell: holder,
  function: code,
  method: code,
  macro: code,
  field: entry,
  member: entry,
  key: entry,
  export: entry,
  table: { shown: ['open', 'value'], inside: 'open' },
  rule: { shown: ['open', 'value'], inside: 'open' },
  element: { shown: ['open', 'value'], inside: 'open' },
  variable: { shown: ['open'], inside: 'value' },
  group: { shown: ['open'], inside: 'open' },
  item: { shown: ['open', 'value'], inside: 'value', frame: true },
  call: called,
  lambda: called,
  code: text,
  quote: text,
  declaration: text,
  if: step,
  else: step,
  for: step,
  while: step,
  switch: step,
  case: step,
  try: step,
  catch: step,
  finally: step,
  with: step,
  block: step,
}

/** What is not shown makes room for the definitions inside it. */
function visibleEntries(structures: readonly OutlineEntry[], place: Nesting, around?: string): OutlineEntry[] {
  return structures.flatMap((structure) => {
    const { children = [], ...own } = structure
    const { kind, header } = own
    const role = roles[kind] ?? holder
    const shown = role.shown.includes(place) || (kind === 'call' && around === 'call' && namedCall.test(header))
    const steps = role.inside !== 'nowhere' && (!shown || boundFunction.test(header))
    const inside = transparent.test(header) ? place : steps ? 'body' : role.inside
    const inner = inside === 'nowhere' ? [] : visibleEntries(children, inside, kind)
    if (!shown || (role.frame && inner.length === 0)) return inner
    return [inner.length === 0 ? own : { ...own, children: inner }]
  })
}

/** The header of a function that is bound to a name has the parameters after it. */
const boundFunction = /^[^={(]*?[=:]\s*(?:async\s*)?(?:function\b|\(|<)/

/** Around a whole file of C, as a rule: its content counts as top level. */
const transparent = /^(?:#\s*(?:if|el)|extern "C)/

/** Tests are calls in calls, and have a text for a name: `it('adds', () => {`. Other callbacks are steps. */
const namedCall = /^[\w.$]+(?:\(.*\))?[( ]\s*['"`]/
