/**
 * Counts what a piece of work does to strings, lists and patterns, roughly as the engine would: a search costs the
 * way it goes, a look at a character one, a slice nothing but the call. The count is the same on every machine, so a
 * test can say how work grows without measuring time.
 */
export function operationsOf(work: () => void): number {
  let count = 0
  const add = (cost: number): void => {
    count += cost
  }
  const restore = [...stringCosts, ...listCosts, ...patternCosts].map((entry) => watch(entry, add))
  try {
    work()
  } finally {
    for (const back of restore) back()
  }
  return count
}

interface Watched {
  readonly prototype: object
  readonly name: string
  /** From what the method was called on, its arguments and what it gave. */
  cost(self: unknown, args: readonly unknown[], result: unknown): number
}

function watch({ prototype, name, cost }: Watched, add: (cost: number) => void): () => void {
  const original: unknown = Reflect.get(prototype, name)
  if (typeof original !== 'function') throw new Error(`no method ${name}`)
  Reflect.set(prototype, name, function (this: unknown, ...args: unknown[]): unknown {
    const before = isPattern(this) ? this.lastIndex : 0
    const result: unknown = Reflect.apply(original, this, args)
    add(1 + cost(this, isPattern(this) ? [...args, before] : args, result))
    return result
  })
  return () => Reflect.set(prototype, name, original)
}

const isPattern = (value: unknown): value is RegExp => value instanceof RegExp
const numberFrom = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)
const lengthOf = (value: unknown): number =>
  typeof value === 'string' ? value.length : Array.isArray(value) ? value.length : 0

/** Text that was passed over until something was found, or to the end. */
function searched(self: unknown, args: readonly unknown[], result: unknown): number {
  const from = numberFrom(args[1], 0)
  return result === -1 || result === false ? lengthOf(self) - from : numberFrom(result, lengthOf(args[0])) - from
}

const strings = (names: readonly string[], cost: Watched['cost']): Watched[] =>
  names.map((name) => ({ prototype: String.prototype, name, cost }))

const stringCosts: readonly Watched[] = [
  ...strings(['indexOf', 'includes'], searched),
  ...strings(['lastIndexOf'], (self, args, result) =>
    Math.max(0, numberFrom(args[1], lengthOf(self)) - numberFrom(result, 0)),
  ),
  ...strings(['startsWith', 'endsWith'], (_, args) => lengthOf(args[0])),
  ...strings(['charCodeAt', 'codePointAt', 'charAt', 'at', 'slice'], () => 0),
  ...strings(['trim', 'trimStart', 'trimEnd'], (self, _, result) => lengthOf(self) - lengthOf(result)),
  ...strings(['split', 'replaceAll', 'replace', 'repeat', 'toUpperCase', 'toLowerCase'], lengthOf),
]

const listCosts: readonly Watched[] = [
  ...['map', 'filter', 'concat', 'slice', 'splice', 'join', 'flatMap', 'flat', 'reverse', 'sort'].map((name) => ({
    prototype: Array.prototype,
    name,
    cost: lengthOf,
  })),
  ...['find', 'findIndex', 'indexOf', 'includes', 'some', 'every', 'shift', 'unshift'].map((name) => ({
    prototype: Array.prototype,
    name,
    cost: (self: unknown) => lengthOf(self) / 2,
  })),
]

/** A pattern that is tied to a place looks there only; another one looks on until it fits. */
const patternCosts: readonly Watched[] = ['exec'].map((name) => ({
  prototype: RegExp.prototype,
  name,
  cost(self, args, result) {
    if (!isPattern(self)) return 0
    const tied = self.sticky || self.source[0] === '^'
    if (tied) return Array.isArray(result) ? lengthOf(result[0]) : 1
    const from = self.global ? numberFrom(args.at(-1), 0) : 0
    if (!Array.isArray(result)) return lengthOf(args[0]) - from
    return numberFrom(Reflect.get(result, 'index'), 0) + lengthOf(result[0]) - from
  },
}))
