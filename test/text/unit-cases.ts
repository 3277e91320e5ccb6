import { readFileSync } from 'node:fs'

export interface UnitCase<Args> {
  function: string
  name: string
  args: Args
  expected?: unknown
  throws?: string
}

/** The cases of one function in the conformance file. */
export function unitCases<Args>(name: string): UnitCase<Args>[] {
  const file = new URL('../conformance/unit.json', import.meta.url)
  const { cases }: { cases: UnitCase<Args>[] } = JSON.parse(readFileSync(file, 'utf8'))
  return cases.filter((unit) => unit.function === name)
}
