import fs from 'node:fs'

/** What an approval is bound to, and what is shown of it. */
export interface Text {
  readonly whole: string
  readonly shown: string
}

export function readSmall(file: string): string | undefined {
  try {
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size < 5_000_000 ? fs.readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}
