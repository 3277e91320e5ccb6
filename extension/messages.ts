import type { Applied, RunningProject, ShownBlock } from '../src/ui/companion.ts'

/** What the parts of the extension say to each other. Who asks, and for which tab and site, is what the browser says. */

/** What is asked from a tab. The reply is sent with each request: the service worker keeps nothing of a page. */
export type FromTab =
  | { readonly type: 'hello' }
  | { readonly type: 'found'; readonly text: string }
  | { readonly type: 'preview' | 'answer'; readonly text: string; readonly hash: string }
  /** `seen`: the bar was in sight and nothing was over it when it was clicked. */
  | { readonly type: 'apply'; readonly text: string; readonly hash: string; readonly seen: boolean }
  | { readonly type: 'result'; readonly hash: string }

/** What is asked from a window of the extension itself. */
export type FromOwn =
  | { readonly type: 'state'; readonly tab: number }
  | { readonly type: 'pair'; readonly code: string }
  | { readonly type: 'forget' }
  | { readonly type: 'enable'; readonly tab: number; readonly how: 'always' | 'once' | 'off' }
  | { readonly type: 'choose'; readonly tab: number; readonly project: string }
  | { readonly type: 'prompt'; readonly tab: number; readonly task: string }
  | { readonly type: 'waiting'; readonly id: string }
  | { readonly type: 'decide'; readonly id: string; readonly answer: Decision }

/** `insert`: yes, and the answer goes into the field of the page. */
export type Decision = 'no' | 'yes' | 'insert'

/** A message to a tab. */
export type ToTab =
  | { readonly type: 'insert'; readonly text: string }
  | { readonly type: 'progress'; readonly hash: string; readonly progress: Step }

/** The blocks of a reply, in few words. */
export interface Found {
  readonly hash: string
  readonly summary: string
  /** Where it was applied before, perhaps long ago. */
  readonly before?: { readonly succeeded: number; readonly failed: number }
}

/** Where a request is. */
export type Step =
  | { readonly step: 'running'; readonly done: number; readonly total: number; readonly questions: number }
  | ({ readonly step: 'done' } & Applied)
  /** Another window asks first. */
  | { readonly step: 'asking' }
  | { readonly step: 'shown' }
  | { readonly step: 'declined' }
  | { readonly step: 'failed'; readonly why: string }

/** What the popup shows. */
export interface PopupState {
  readonly paired: boolean
  readonly site?: string
  readonly enabled: 'always' | 'once' | 'off'
  readonly projects: readonly RunningProject[]
  readonly chosen?: string
}

/** What is to be looked at before it is applied. */
export interface Waiting {
  readonly site: string
  readonly project: string
  readonly why: 'new site' | 'not seen'
  readonly blocks: readonly ShownBlock[]
  readonly fatal?: string
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
