import { parseSync } from 'oxc-parser'
import type { Node } from 'web-tree-sitter'
import { loadGrammar } from '../../packages/clada/src/structure/grammar.ts'
import type { Language } from '../../packages/clada/src/structure/language.ts'
import { languageFor } from '../../packages/clada/src/structure/languages.ts'
import { structureOperations, type StructureOperations } from '../../packages/clada/src/structure/operations.ts'
import { withOutline } from '../../packages/clada/src/structure/outline.ts'
import {
  everyStructure,
  lineRangeOf,
  pathOf,
  type StructureResult,
} from '../../packages/clada/src/structure/structure.ts'

export interface Edits {
  /** What went wrong: the edit, the reason and the text after it. */
  readonly failures: string[]
  done: number
  refused: number
}

/**
 * Deletes, replaces, surrounds and moves every structure of a text, each from the same beginning. Afterwards the text must
 * parse, must have every other statement as it was, and the same characters outside the edit.
 */
export async function editEverything(path: string, text: string, most = Infinity): Promise<Edits> {
  const edits: Edits = { failures: [], done: 0, refused: 0 }
  const language = languageFor(path, text)
  if (language === undefined) throw new Error(path)
  const before = await statementsIn(path, text, language)
  const all = await targetsIn(text, language)
  const run = async (how: string, edit: Edit, act: (own: StructureOperations) => Promise<StructureResult<unknown>>) => {
    let after = text
    const own = structureOperations({ read: async () => after, write: async (_, now) => void (after = now) })
    const result = await act(own)
    edits.done++
    if (!result.ok) {
      edits.refused++
      if (after === text && !/TARGET/.test(result.error.error)) return
    }
    const wrong = result.ok
      ? wrongWith(edit, { text, ...before }, { text: after, ...(await statementsIn(path, after, language)) })
      : result.error.message
    if (wrong !== undefined) edits.failures.push(`${how}: ${wrong}\n${after}`)
  }
  const step = Math.max(1, Math.floor(all.length / most))
  for (const target of all.filter((_, at) => at % step === 0)) {
    const { name } = target
    await run(`delete ${name}`, { target }, (own) => own.delete_structure(path, name))
    for (const added of contentsFor(path, target)) {
      const put = `${name}: ${added}`
      await run(`replace ${put}`, { target, added }, (own) => own.replace_structure(path, name, added))
      await run(`before ${put}`, { target, added, stays: true }, (own) =>
        own.insert_before_structure(path, name, added),
      )
      await run(`after ${put}`, { target, added, stays: true }, (own) => own.insert_after_structure(path, name, added))
    }
    const stays = true
    const siblings = all.filter((one) => one !== target && one.parent === target.parent && !branch.test(one.kind))
    for (const { name: other } of branch.test(target.kind) ? [] : siblings.slice(0, most)) {
      await run(`move ${name} before ${other}`, { target, stays }, (own) =>
        own.move_structure_to_before(path, name, path, other),
      )
      await run(`move ${name} after ${other}`, { target, stays }, (own) =>
        own.move_structure_to_after(path, name, path, other),
      )
    }
    if (target.parent !== undefined) continue
    await run(`move ${name} up`, { target, stays }, (own) => own.move_structure_to_file_start(path, name, path))
    await run(`move ${name} down`, { target, stays }, (own) => own.move_structure_to_file_end(path, name, path))
  }
  return edits
}

/** What comes after something else is no place for a statement. */
const branch = /^(?:else|catch|finally|case)$/

interface Target {
  /** As a target names it. */
  readonly name: string
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly parent: string | undefined
  readonly parentKind: string | undefined
}

function targetsIn(text: string, language: Language): Promise<Target[]> {
  return withOutline(text, language, (outline) => {
    const nameOf = (one: (typeof outline.structures)[number]): string =>
      `${pathOf(one)
        .map(({ header }) => header)
        .join('\n')} [${lineRangeOf(outline.source, one).join('-')}]`
    return [...everyStructure(outline.structures)].map((one) => ({
      name: nameOf(one),
      kind: one.kind,
      start: one.start,
      end: one.end,
      parent: one.parent === null ? undefined : nameOf(one.parent),
      parentKind: one.parent?.kind,
    }))
  })
}

const contents = {
  statement: [
    'const NEW = 1',
    'const NEW = 1; // new',
    '(function () { NEW() })()',
    '[NEW].forEach(go)',
    '`NEW`.trim()',
    '/NEW/.test(go)',
    'function NEW () {}',
    'NEW = function () {}',
  ],
  member: ['NEW = 1', "['NEW'] = 2", '*NEW () {}', 'NEW () {}', 'static NEW', 'NEW;'],
  python: ['NEW = 1', 'NEW = 1;'],
  shell: ['NEW=1', 'NEW=1;', 'NEW() {\n  a\n}'],
}

function contentsFor(path: string, { kind, parentKind }: Target): readonly string[] {
  if (path.endsWith('.py')) return /variable|field/.test(kind) ? contents.python : []
  if (path.endsWith('.sh')) return kind === 'variable' ? contents.shell : []
  if (parentKind === 'class') return contents.member
  const isStatement = /^(?:variable|function|class|call|if|for|switch|type|interface|enum)$/.test(kind)
  return isStatement && !/interface|enum|type|group/.test(parentKind ?? '') ? contents.statement : []
}

interface Edit {
  readonly target: Target
  readonly added?: string
  /** Whether the structure is still there afterwards. */
  readonly stays?: boolean
}

/** A statement or a member of a class: what a join would change. */
interface Statement {
  readonly start: number
  readonly end: number
  readonly text: string
}

interface Statements {
  readonly statements: readonly Statement[]
  readonly isValid: boolean
}

function wrongWith(
  { target, added, stays = false }: Edit,
  before: Statements & { readonly text: string },
  after: Statements & { readonly text: string },
): string | undefined {
  if (!before.isValid) return 'the text was wrong before'
  if (!after.isValid) return 'the text is wrong'
  const { start, end } = target
  const own = plain(before.text.slice(start, end))
  const left = after.statements.map(({ text }) => text)
  for (const one of before.statements) {
    const isOutside = one.end <= start || one.start >= end
    const isOwn = one.start >= start && one.end <= end
    if (!isOutside && !(stays && (isOwn || one.text.slice(one.text.indexOf(' ') + 1) === own))) continue
    const at = left.indexOf(one.text)
    if (at === -1) return `lost ${one.text}`
    left.splice(at, 1)
  }
  const rest = before.text.slice(0, start) + (stays ? before.text.slice(start, end) : '') + before.text.slice(end)
  const [was, is] = [rest + (added ?? ''), after.text].map((text) => [...text.replace(/[\s;,]/g, '')].sort().join(''))
  return was === is ? undefined : 'other characters'
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/^[; ]+|[; ]+$/g, '')

/** A semicolon on a later line is that of the next statement, with the comments before it. */
function statementOf(text: string, { type, start, end }: Typed, comments: ReadonlyMap<number, number>): Statement {
  let to = end
  for (let at = -1; at !== to;) {
    at = to
    to = comments.get(start + text.slice(start, to).replace(/[\s;]+$/, '').length) ?? to
    to = start + text.slice(start, to).replace(/[\s;]+$/, '').length
  }
  return { start, end: to, text: `${type} ${plain(text.slice(start, to))}` }
}

interface Typed {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** By another parser than the operations use, where there is one. */
async function statementsIn(path: string, text: string, language: Language): Promise<Statements> {
  const statements: Statement[] = []
  const { parser } = language
  if (parser.kind !== 'tree-sitter') throw new Error('no tree')
  if (parser.judge === 'oxc') {
    const { program, errors, comments } = parseSync(path, text)
    const starts = new Map(comments.map(({ start, end }) => [end, start]))
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) return node.forEach(visit)
      if (typeof node !== 'object' || node === null) return
      for (const [name, value] of Object.entries(node)) {
        if (Array.isArray(value) && (name === 'body' || name === 'consequent'))
          for (const one of value) if (one.type !== 'EmptyStatement') statements.push(statementOf(text, one, starts))
        visit(value)
      }
    }
    visit(program)
    return { statements, isValid: errors.length === 0 }
  }
  const tree = (await loadGrammar(language, parser)).parse(text)
  const isValid = !tree.rootNode.hasError
  const visit = (node: Node): void => {
    for (const child of node.namedChildren) {
      if (holders.test(node.type) && !/^(?:comment|block)$/.test(child.type))
        statements.push(
          statementOf(text, { type: child.type, start: child.startIndex, end: child.endIndex }, new Map()),
        )
      visit(child)
    }
  }
  visit(tree.rootNode)
  tree.delete()
  return { statements, isValid }
}

const holders = /^(?:module|block|program|compound_statement|do_group|if_statement|else_clause|case_item|list)$/
