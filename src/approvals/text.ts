import fs from 'node:fs'

/** What an approval is bound to, and what is shown of it. */
export interface Text {
  readonly whole: string
  readonly shown: string
}

/** A byte order mark is left out, as programs leave it out that read such files. */
export function readSmall(file: string): string | undefined {
  try {
    const stat = fs.statSync(file)
    if (!stat.isFile() || stat.size >= 5_000_000) return undefined
    return fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch {
    return undefined
  }
}

export function namesIn(dir: string): string[] {
  try {
    return fs.readdirSync(dir).sort()
  } catch {
    return []
  }
}
