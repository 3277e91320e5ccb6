/** A number with its noun: `1 file`, `2 files`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** With commas: `20,000`. `toLocaleString` reads the names of all languages first, which takes a third of a small run. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
