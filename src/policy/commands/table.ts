import { changingRules } from './changing-rules.ts'
import { gitRules } from './git-rules.ts'
import { listingRules } from './listing-rules.ts'
import type { CommandRule } from './rule.ts'
import { searchRules } from './search-rules.ts'
import { textRules } from './text-rules.ts'

/** Every command that needs no approval. */
export const commandRules: readonly CommandRule[] = [
  ...textRules,
  ...searchRules,
  ...listingRules,
  ...changingRules,
  ...gitRules,
]
