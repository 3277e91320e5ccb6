/** A change that a reply proposes without a block for it. */
export interface Proposal {
  /** The line of the document it starts on. */
  line: number
  path: string
  /** `part`: declarations of a file, the rest of which stays. */
  kind: 'create' | 'overwrite' | 'part' | 'edit' | 'delete' | 'move'
  /** Unified, as git writes it. */
  diff: string
  /** What it has nothing for: it is rather a part of the file, or damaged, and needs a yes of its own. */
  lacks?: MissingPart
}

/**
 * What a text lacks of a file. `everything`: it is empty. `most`: it has too little of the file to be all of it. `characters`: in
 * their place it has those that copying makes.
 */
export const missingParts = ['beginning', 'end', 'most', 'everything', 'characters'] as const
export type MissingPart = (typeof missingParts)[number]
