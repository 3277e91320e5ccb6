/**
 * The row of a table for a name that comes from outside. Every object has a `constructor` and a `__proto__` as well:
 * `end_of_line = __proto__` in an .editorconfig once wrote `[object Object]` for every line break.
 */
export const lookUp = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
