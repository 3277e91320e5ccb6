import type { Attack } from './attack.ts'
import { doorScenarios } from './scenarios/doors.ts'
import { encodingScenarios } from './scenarios/encodings.ts'
import { gitDirectoryScenarios } from './scenarios/git-directories.ts'
import { gitScenarios } from './scenarios/git.ts'
import { ownPlaceScenarios } from './scenarios/own-places.ts'
import { replyScenarios } from './scenarios/replies.ts'
import { secretScenarios } from './scenarios/secrets.ts'
import { stateScenarios } from './scenarios/state.ts'

/** Attacks that are made from tables: each place with each way to it. */
export const scenarios: readonly Attack[] = [
  ...gitScenarios(),
  ...gitDirectoryScenarios(),
  ...secretScenarios(),
  ...replyScenarios(),
  ...stateScenarios(),
  ...doorScenarios(),
  ...encodingScenarios(),
  ...ownPlaceScenarios(),
]
