/** The value of an optional property that is left out if its list is empty. */
export const unlessEmpty = <List extends readonly unknown[]>(list: List): List | undefined =>
  list.length === 0 ? undefined : list

/** The entries of a table that are there. A key with nothing would be a parameter, a header or a variable of that name. */
export function withoutUndefined<Table extends object>(
  table: Table,
): { [Key in keyof Table]: Exclude<Table[Key], undefined> } {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined)) as never
}

/** Whether nothing is in a table. */
export const isUnset = (table: object): boolean => Object.values(table).every((value) => value === undefined)
