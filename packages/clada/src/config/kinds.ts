import { spellOutLine } from '../report/words.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'

/** A kind of value: how it is read from a file, described to people, and described to editors. */
export interface ValueKind<T> {
  /** Follows "must be". */
  readonly expected: string
  schema(): Readonly<Record<string, unknown>>
  /** Undefined where something is wrong, which is passed to `note`. */
  read(tree: YamlNode, note: ReportMistake): T | undefined
  /** As a person would write it; the value itself by default. */
  write?(value: T): unknown
}

/** Takes a message that follows the name of the key. */
export type ReportMistake = (at: YamlPosition, message: string) => void

export const yesNo: ValueKind<boolean> = {
  expected: 'true or false',
  schema: () => ({ type: 'boolean' }),
  read: (tree, note) =>
    tree.kind === 'scalar' && typeof tree.value === 'boolean' ? tree.value : noteWrongValue(tree, yesNo.expected, note),
}

export function oneOf<const T extends string | number>(
  values: readonly T[],
  expected = values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`,
): ValueKind<T> {
  return {
    expected,
    schema: () => ({ enum: values }),
    read: (tree, note) => {
      const found = tree.kind === 'scalar' ? values.find((value) => value === tree.value) : undefined
      if (found !== undefined) return found
      const close = tree.kind === 'scalar' ? findClosestName(String(tree.value), values.map(String)) : undefined
      return noteWrongValue(tree, expected, note, close)
    },
  }
}

export interface TextRules {
  readonly expected?: string
  readonly most?: number
  readonly pattern?: RegExp
  /** What is wrong with a value that fits otherwise; follows "must be". */
  readonly refuse?: (value: string) => string | undefined
}

export function textKind({ expected = 'a text', most = 10_000, pattern, refuse }: TextRules = {}): ValueKind<string> {
  return {
    expected,
    schema: () => ({ type: 'string', minLength: 1, maxLength: most, pattern: pattern?.source }),
    read: (tree, note) => {
      const value = tree.kind === 'scalar' && typeof tree.value === 'string' ? tree.value : undefined
      if (value === undefined || value === '') return noteWrongValue(tree, expected, note)
      if (value.length > most) return noteWrongValue(tree, `at most ${most} characters long`, note)
      const refusal = pattern?.test(value) === false ? expected : refuse?.(value)
      return refusal === undefined ? value : noteWrongValue(tree, refusal, note)
    },
  }
}

export function wholeNumber(least: number, most: number): ValueKind<number> {
  const expected = `a whole number from ${least} to ${most}`
  return {
    expected,
    schema: () => ({ type: 'integer', minimum: least, maximum: most }),
    read: (tree, note) => {
      const value = tree.kind === 'scalar' ? tree.value : undefined
      const good = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      return good ? value : noteWrongValue(tree, expected, note)
    },
  }
}

/** Bytes. */
export const size: ValueKind<number> = measureKind({
  expected: 'a size in bytes such as 4096, 500k, 10m or 1g',
  units: { '': 1, k: 1024, kb: 1024, m: 1024 ** 2, mb: 1024 ** 2, g: 1024 ** 3, gb: 1024 ** 3 },
  shown: ['g', 'm', 'k'],
  least: 1,
  most: 2 ** 40,
})

/** Seconds. */
export const duration = (most: number): ValueKind<number> =>
  measureKind({
    expected: `a time of at most ${most} s such as 30, 500ms, 10s or 5min`,
    units: { '': 1, ms: 0.001, s: 1, min: 60 },
    shown: [],
    least: 0.001,
    most,
  })

interface Measure {
  readonly expected: string
  readonly units: Readonly<Record<string, number>>
  /** Units to write in, largest first. */
  readonly shown: readonly string[]
  readonly least: number
  readonly most: number
}

function measureKind({ expected, units, shown, least, most }: Measure): ValueKind<number> {
  const names = Object.keys(units).filter((name) => name !== '')
  const pattern = `^\\d+(\\.\\d+)? ?(${names.join('|')})?$`
  return {
    expected,
    schema: () => ({
      anyOf: [
        { type: 'number', minimum: least, maximum: most },
        { type: 'string', pattern },
      ],
    }),
    read: (tree, note) => {
      const given = tree.kind === 'scalar' ? tree.value : null
      const written = typeof given === 'string' ? new RegExp(pattern, 'i').exec(given) : null
      const unit = units[written?.[2]?.toLowerCase() ?? ''] ?? 1
      const value = typeof given === 'number' ? given : written === null ? NaN : parseFloat(written[0]) * unit
      return value >= least && value <= most ? value : noteWrongValue(tree, expected, note)
    },
    write: (value) => {
      const unit = shown.find((name) => value % (units[name] ?? 1) === 0)
      return unit === undefined ? value : `${value / (units[unit] ?? 1)}${unit}`
    },
  }
}

export function list<T>(of: ValueKind<T>, most = 1000): ValueKind<readonly T[]> {
  const expected = `a list, each entry ${of.expected}`
  return {
    expected,
    schema: () => ({ type: 'array', items: of.schema(), maxItems: most }),
    read: (tree, note) => {
      if (tree.kind !== 'list') return noteWrongValue(tree, expected, note)
      if (tree.items.length > most) return noteWrongValue(tree, `at most ${most} entries long`, note)
      const values = tree.items.map((item) => of.read(item, note))
      return values.every((value) => value !== undefined) ? values : undefined
    },
    write: (values) => values.map((value) => (of.write === undefined ? value : of.write(value))),
  }
}

/** The value, or `null` for none. */
export function orNone<T>(of: ValueKind<T>): ValueKind<T | null> {
  return {
    expected: `${of.expected}, or null`,
    schema: () => ({ anyOf: [of.schema(), { type: 'null' }] }),
    read: (tree, note) => (tree.kind === 'scalar' && tree.value === null ? null : of.read(tree, note)),
    write: (value) => (value === null || of.write === undefined ? value : of.write(value)),
  }
}

export function mapOf<T>(of: ValueKind<T>, names: RegExp, most = 1000): ValueKind<Readonly<Record<string, T>>> {
  const expected = `names, each with ${of.expected}`
  return {
    expected,
    schema: () => ({ type: 'object', propertyNames: { pattern: names.source }, additionalProperties: of.schema() }),
    read: (tree, note) => {
      if (tree.kind !== 'map') return noteWrongValue(tree, expected, note)
      if (tree.entries.length > most) return noteWrongValue(tree, `at most ${most} names`, note)
      const values: [string, T][] = []
      for (const { name, at, value } of tree.entries) {
        if (!names.test(name)) note(at, `has the name ${quoteValue(name)}, which must be letters, digits and _.`)
        const read = of.read(value, (where, message) => note(where, `(${spellValue(name)}) ${message}`))
        if (read !== undefined) values.push([name, read])
      }
      return values.length === tree.entries.length ? Object.fromEntries(values) : undefined
    },
  }
}

/** Named values of their own kinds. What is left out stays out; `needs` must be there. */
export function fields<K extends Readonly<Record<string, ValueKind<unknown>>>, N extends keyof K & string>(
  kinds: K,
  needs: N,
): ValueKind<KindFields<K, N>> {
  const names = Object.keys(kinds)
  const expected = `of the form {${names.join(', ')}}`
  return {
    expected,
    schema: () => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, kinds[name]?.schema()])),
      required: [needs],
      additionalProperties: false,
    }),
    read: (tree, note) => {
      if (tree.kind !== 'map') return noteWrongValue(tree, expected, note)
      const values: [string, unknown][] = []
      for (const { name, at, value } of tree.entries) {
        const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
        if (kind === undefined) note(at, `has no ${quoteValue(name)}.${orMeant(findClosestName(name, names))}`)
        const read = kind?.read(value, (where, message) => note(where, `(${name}) ${message}`))
        if (read !== undefined) values.push([name, read])
      }
      const whole = tree.entries.some(({ name }) => name === needs)
      if (!whole) note(tree.at, `needs '${needs}' in each entry.`)
      // The names are those of `kinds`, each with a value of its kind.
      return whole && values.length === tree.entries.length
        ? (Object.fromEntries(values) as KindFields<K, N>)
        : undefined
    },
  }
}

type KindValue<K> = K extends ValueKind<infer T> ? T : never
export type KindFields<K, N extends keyof K> = { readonly [name in N]: KindValue<K[name]> } & {
  readonly [name in Exclude<keyof K, N>]?: KindValue<K[name]>
}

export const orMeant = (close: string | undefined): string => (close === undefined ? '' : ` Did you mean ${close}?`)

/** A text of the file in a message: short, on one line, and with nothing that cannot be seen. */
export const quoteValue = (value: string): string =>
  `'${spellValue(value.length > 60 ? `${value.slice(0, 57)}…` : value)}'`

export const spellValue = (text: string): string => spellOutLine(text.replaceAll('\t', '\\t'))

function noteWrongValue(tree: YamlNode, expected: string, note: ReportMistake, close?: string): undefined {
  if (tree.kind === 'broken') return undefined
  const given =
    tree.kind === 'list'
      ? 'a list'
      : tree.kind === 'map'
        ? 'a map of keys'
        : tree.value === null
          ? 'nothing'
          : quoteValue(String(tree.value))
  note(tree.at, `must be ${expected}; it is ${given}.${orMeant(close)}`)
  return undefined
}

/** A config file as it was written, with the place of everything. Lines and columns count from 1. */
export interface YamlPosition {
  readonly line: number
  readonly column: number
}

export type YamlNode =
  | { readonly kind: 'scalar'; readonly at: YamlPosition; readonly value: string | number | boolean | null }
  /** What the parser has complained about already. */
  | { readonly kind: 'broken'; readonly at: YamlPosition }
  | { readonly kind: 'list'; readonly at: YamlPosition; readonly items: readonly YamlNode[] }
  | { readonly kind: 'map'; readonly at: YamlPosition; readonly entries: readonly YamlEntry[] }

export interface YamlEntry {
  readonly name: string
  readonly at: YamlPosition
  readonly value: YamlNode
}

/** What is wrong with a config file. */
export interface ConfigError {
  readonly at: YamlPosition
  readonly message: string
}
