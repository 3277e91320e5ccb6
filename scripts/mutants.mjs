// The mutants of a source: what they are, which are taken, and the source with all of them compiled in.
import { createHash } from 'node:crypto'
import { parseSync } from 'oxc-parser'

const operators = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}
const methods = { some: 'every', every: 'some', startsWith: 'endsWith', endsWith: 'startsWith', at: 'indexOf' }
/** Types have nothing to change, but an expression with one has. */
const typed = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

/**
 * Every small change that a source allows. `name` stays the same while its line does; `start` and `end` are the node that
 * is replaced by `code`, which gets the name of the switch and the node with the other mutants in it.
 */
export function mutantsOf(file, text) {
  const found = []
  const lines = text.split('\n')
  const names = new Map()
  const add = ({ start, end }, from, to, code) => {
    const line = text.slice(0, start).split('\n').length
    const short = from.replace(/\s+/g, ' ').slice(0, 80)
    const base = `${file}: ${lines[line - 1]?.trim()} [${short} -> ${to}]`
    const count = (names.get(base) ?? 0) + 1
    names.set(base, count)
    found.push({ file, start, end, line, name: count === 1 ? base : `${base} ${count}`, code })
  }
  const plain = ({ start, end }) => text.slice(start, end)
  const either = (changed) => (on, node) => `(${on}?(${changed}):(${node}))`
  const visit = (node, key, parent) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) return node.forEach((one) => visit(one, key, parent))
    if (typeof node.type !== 'string' || node.type.startsWith('Import')) return
    if (typed.includes(node.type)) return visit(node.expression, 'expression', node)
    if (node.type.startsWith('TS')) return
    if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression') {
      const to = operators[node.operator]
      if (to !== undefined) add(node, node.operator, to, either(`(${plain(node.left)})${to}(${plain(node.right)})`))
    }
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
      for (const to of ['true', 'false']) add(node.test, plain(node.test), to, either(to))
    if (node.type === 'UnaryExpression' && node.operator === '!') add(node, '!', '', either(plain(node.argument)))
    if (node.type === 'Literal' && ['boolean', 'number'].includes(typeof node.value)) {
      const to = String(typeof node.value === 'number' ? node.value + 1 : !node.value)
      const isKey = key === 'key' && !parent.computed
      add(node, plain(node), to, isKey ? (on, old) => `[${on}?${to}:${old}]` : either(to))
    }
    if (node.type === 'ExpressionStatement' && /^(Await|Call)Expression$/.test(node.expression.type))
      add(node, plain(node), ';', (on, old) => `{if(!${on}){${old}}}`)
    if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && !node.callee.computed) {
      const { property, optional } = node.callee
      const to = Object.hasOwn(methods, property.name) ? methods[property.name] : undefined
      const start = text.lastIndexOf('.', property.start - 1) - (optional ? 1 : 0)
      if (to !== undefined && property.type === 'Identifier')
        add(
          { start, end: property.end },
          property.name,
          to,
          (on) => `${optional ? '?.' : ''}[${on}?'${to}':'${property.name}']`,
        )
    }
    for (const [name, value] of Object.entries(node)) if (name !== 'type') visit(value, name, node)
  }
  visit(parseSync(file, text).program)
  return found
}

/** The same ones for the same seed; where a source changes, only the mutants of the changed lines do. */
export function sampleOf(mutants, count, seed) {
  const rank = ({ name }) => createHash('sha1').update(`${seed} ${name}`).digest('hex')
  return mutants
    .map((mutant) => [rank(mutant), mutant])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, count)
    .map(([, mutant]) => mutant)
}

/** The source with some mutants, each active when `__m` says so for its id. */
export function compiledIn(text, mutants, from) {
  const sites = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end)
  const render = (start, end, inside) => {
    let out = ''
    let at = start
    let rest = inside
    while (rest.length > 0) {
      const [site, ...others] = rest
      const within = others.filter((other) => other.start < site.end)
      rest = others.filter((other) => other.start >= site.end)
      out += text.slice(at, site.start)
      out += site.code(`globalThis.__m?.(${site.id})`, render(site.start, site.end, within))
      at = site.end
    }
    return out + text.slice(at, end)
  }
  const body = render(0, text.length, sites)
  const lead = `import '${from.startsWith('.') ? from : `./${from}`}';`
  return body.startsWith('#!') ? body.replace('\n', `\n${lead}`) : lead + body
}
