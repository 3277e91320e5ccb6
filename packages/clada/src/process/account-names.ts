import fs from 'node:fs'

/** The name of a user of this machine, if there is one of this number. */
export const userName = (uid: number): string | undefined => nameIn('/etc/passwd', uid)

/** The same for a group. */
export const groupName = (gid: number): string | undefined => nameIn('/etc/group', gid)

const known = new Map<string, ReadonlyMap<string, string>>()

/** Both files have `name:password:number` in their lines. */
function nameIn(file: string, id: number): string | undefined {
  const names = known.get(file) ?? readNames(file)
  known.set(file, names)
  return names.get(String(id))
}

function readNames(file: string): ReadonlyMap<string, string> {
  try {
    const rows = fs
      .readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
    // The first line of a number counts.
    return new Map(rows.toReversed().flatMap(([name = '', , id]) => (id === undefined ? [] : [[id, name] as const])))
  } catch {
    // Windows has neither.
    return new Map()
  }
}
