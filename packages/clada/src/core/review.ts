import type { FileChange, PlaceChoice, Preview } from './result.ts'

/*
 * A review: a reply is previewed, the user decides hunk by hunk, and exactly what was shown is applied.
 *
 *   const review = await clada.review(text)                     what each block would change, as hunks
 *   const choices = { blocks: { '2': { shown, leave: [...] } } }
 *   await clada.review(text, choices)                           the same under these choices, for display
 *   await clada.execute(text, { review: choices })              applies it, or refuses when a file has changed
 *
 * Choices are plain data and refer to a block by its task number and to a hunk by an id made of its content, so they stay
 * valid when an earlier choice moves lines.
 */

/** The decisions of the user about a reply. Blocks without one are applied as they are. */
export interface ReviewChoices {
  /** By task number. */
  readonly blocks?: Readonly<Record<string, BlockChoice>>
  /** The reply as the model wrote it, if the user has edited the whole text. */
  readonly original?: string
}

/** The decision about one block. */
export interface BlockChoice {
  /** `shown` of the block as it was reviewed. It is applied only if it still makes exactly that change. */
  readonly shown?: string
  /** The block does not run at all. */
  readonly leaveOut?: boolean
  /** The user's reason for `leaveOut`. */
  readonly reason?: string
  /** Hunks that are left out. */
  readonly leave?: readonly { readonly hunk: string; readonly reason?: string }[]
  /** Parameters of the block as the user has edited them: usually its new text. */
  readonly params?: Readonly<Record<string, string>>
  /** Lines of the file to edit, for an edit whose text is not there, or is there more than once. */
  readonly place?: PlaceChoice
  /** The hunks of a patch that fit are applied, although others do not. */
  readonly patches?: 'good'
  /** The text that a file shall have after the block, by path, if the user has edited it. */
  readonly texts?: Readonly<Record<string, string>>
}

/** The changes of a reply under some choices. What a preview has is as if the choices were applied. */
export interface Review extends Preview {
  /** All blocks that are actions, in order. Blocks that cannot be read are in `result.parseErrors`. */
  blocks: ReviewedBlock[]
}

/** One action of a reply, with its changes. */
export interface ReviewedBlock {
  readonly task: string
  /** Its number in `result.results`. */
  readonly seq: number
  /** Names the whole change of the block: files before and after. For `BlockChoice.shown`. */
  readonly shown: string
  readonly leftOut: boolean
  /** What it changes, with the parameters and texts of the user. Empty where it fails, and for programs. */
  readonly files: readonly ReviewedFile[]
  /** Where an edit could go that has no place of its own, the nearest first. */
  readonly places: readonly ReviewPlace[]
  /** How many hunks of a patch fit that another one keeps back: for `BlockChoice.patches`. */
  readonly fitting: number
  /** Its parameters as text, with those of the user. */
  readonly params: Readonly<Record<string, string>>
  /** Hunks and paths of the choice that the block does not have (any more): with them it is not applied. */
  readonly stale: readonly string[]
}

/** The change of one file. `after` has all hunks, `result` those that are taken. */
export interface ReviewedFile extends FileChange {
  /** The path before, if the file is moved. */
  readonly from?: string
  readonly hunks: readonly ReviewHunk[]
  /** Null where there will be no file; empty for a binary file. */
  readonly result: string | null
  /** Whether the text is the user's. */
  readonly edited: boolean
}

/**
 * The smallest part of a change that can be taken or left out: adjacent lines of `before` that become lines of `after`.
 * Lines count from 0, the ends are excluded, and a line includes its line break (only LF ends one).
 */
export interface ReviewHunk extends ChangedPlace {
  /** The same id for several hunks means that they are taken or left out together. */
  readonly id: string
  /** `whole`: not by lines, such as a binary file or a mode. `move`: the path alone. */
  readonly kind: 'lines' | 'whole' | 'move'
  readonly taken: boolean
  readonly reason?: string
}

/** One place where two texts differ: lines of the old and of the new one, from 0, the ends excluded. */
export interface ChangedPlace {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

/** Lines of a file, whole and exact. */
export interface ReviewPlace extends PlaceChoice {
  readonly path: string
  readonly text: string
  /** Parameters that name this place, for an action that takes no lines: they go into `BlockChoice.params` instead. */
  readonly params?: Readonly<Record<string, string>>
  /** 0 to 1; missing where the text is there exactly. */
  readonly similarity?: number
  /** `-` what was asked for, `+` what is there. */
  readonly diff?: string
  readonly why?: string
}
