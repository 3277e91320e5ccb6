import * as vscode from 'vscode'
import type { ReviewedFile } from '../../clada/src/core/review.ts'
import type { Planned } from '../../clada/src/ui/plan.ts'
import type { PlanBlock } from '../../clada/src/ui/protocol.ts'
import { canDecide, lineInResult, type ChoiceRow } from './choices.ts'
import { findFile } from './changes.ts'
import type { ReplyReview } from './review.ts'
import { ReviewEditor } from './review-editor.ts'
import { withoutMarkup } from './words.ts'

/** *Accept* and *Leave out* above each change, and *Use this place* in files where an edit could go. */
export class ChangeLenses implements vscode.CodeLensProvider {
  readonly #review: ReplyReview
  readonly #editor: ReviewEditor
  readonly onDidChangeCodeLenses: vscode.Event<void>

  constructor(review: ReplyReview, editor: ReviewEditor) {
    this.#review = review
    this.#editor = editor
    this.onDidChangeCodeLenses = review.onChange
  }

  register(): vscode.Disposable {
    return vscode.languages.registerCodeLensProvider([{ scheme: ReviewEditor.scheme }, { scheme: 'file' }], this)
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const { planned, project } = this.#review
    if (planned === undefined || project === undefined) return []
    const path = this.#editor.pathOf(uri)
    if (path !== undefined) return shownChangesIn(planned, path).flatMap(({ row, line }) => changeLenses(row, line))
    return placesIn(planned)
      .filter(({ place }) => findFile(project.folder.uri, place.path).toString() === uri.toString())
      .flatMap(placeLenses)
  }

  /** The change at a line of the right side. */
  changeAt(uri: vscode.Uri, line: number): ChoiceRow | undefined {
    const { planned } = this.#review
    const path = this.#editor.pathOf(uri)
    if (planned === undefined || path === undefined) return undefined
    return shownChangesIn(planned, path).findLast((one) => one.line <= line)?.row
  }
}

interface ShownChange {
  readonly row: ChoiceRow
  /** In the text that lands, from 0. */
  readonly line: number
}

/** The changes of a file in the order of their lines, those that are left out where they would be. */
function shownChangesIn(planned: Planned, path: string): ShownChange[] {
  const pending = planned.plan.blocks.filter(canDecide)
  const own = pending.flatMap((block) =>
    (planned.detail(block.key)?.files ?? []).filter((file) => file.path === path).map((file) => ({ block, file })),
  )
  const shown = own.flatMap(({ block, file }, index) =>
    file.hunks.map((hunk): ShownChange => {
      const row: ChoiceRow = file.hunks.length > 1 ? { kind: 'hunk', block, file, hunk } : { kind: 'block', block }
      const after = own.slice(index + 1).map((one) => one.file)
      return { row, line: after.reduce(movedBy, lineInResult(file, hunk)) }
    }),
  )
  return shown.sort((a, b) => a.line - b.line)
}

/** Where a line is after another block on the same file. */
const movedBy = (line: number, { hunks }: ReviewedFile): number =>
  hunks
    .filter(({ taken, oldEnd }) => taken && oldEnd <= line)
    .reduce((at, { newStart, newEnd, oldStart, oldEnd }) => at + (newEnd - newStart) - (oldEnd - oldStart), line)

function changeLenses(row: ChoiceRow, line: number): vscode.CodeLens[] {
  const isTaken = row.kind === 'hunk' ? row.hunk.taken && row.block.state !== 'left' : row.block.state !== 'left'
  const state = isTaken ? vscode.l10n.t('$(check) Accepted') : vscode.l10n.t('$(circle-slash) Left out')
  const [title, command] = isTaken
    ? [vscode.l10n.t('Leave out'), 'clada.leaveOut']
    : [vscode.l10n.t('Accept'), 'clada.accept']
  return [lens(line, { title: state, command: '' }), lens(line, { title, command, arguments: [row] })]
}

const placesIn = (planned: Planned): (ChoiceRow & { kind: 'place' })[] =>
  planned.plan.blocks
    .filter(({ outcome }) => outcome === undefined)
    .flatMap((block) =>
      (planned.detail(block.key)?.places ?? []).map((place) => ({ kind: 'place' as const, block, place })),
    )

function placeLenses(row: ChoiceRow & { kind: 'place' }): vscode.CodeLens[] {
  const { place, block } = row
  const likeness = place.similarity === undefined ? '' : `, ${Math.round(place.similarity * 100)}%`
  const title = vscode.l10n.t('$(location) Use this place for {0}{1}', withoutMarkup(blockName(block)), likeness)
  return [
    lens(place.line - 1, { title, command: 'clada.usePlace', arguments: [row] }),
    ...(block.why === undefined ? [] : [lens(place.line - 1, { title: withoutMarkup(block.why), command: '' })]),
  ]
}

const blockName = ({ task, id }: PlanBlock): string => vscode.l10n.t('block {0}', task ?? id)

const lens = (line: number, command: vscode.Command): vscode.CodeLens =>
  new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command)
