/// <reference types="node" preserve="true" />
import { allActions } from './actions/registry.ts'
import type { ActionSpec } from './core/action.ts'

// Running documents
export { Clada, createClada } from './api/clada.ts'
export { Session, type SessionOptions, type SessionTokens } from './api/clada.ts'
export type { ActionTool } from './describe/json-schema.ts'
export type { CladaPromptOptions, CladaReportOptions } from './api/clada.ts'
export type { PromptRequest } from './api/project-prompt.ts'
export type {
  ContextPart,
  ContextText,
  ContextTextOptions,
  PromptWithContext,
  UnreadContext,
} from './api/context-text.ts'
export type { ExecuteOptions, PreviewOptions } from './engine/options.ts'
export type { CladaOptions } from './config/settings.ts'
export { readConfig, type ReadConfig } from './config/load.ts'
export { SettingsError } from './core/settings.ts'
export type { ApprovalAnswer, ApprovalRequest, Ask } from './core/commands.ts'
export type { Hook, Hooks } from './core/settings.ts'
export { parse, type ParseOptions } from './api/clada.ts'
export { checkDocument, type CheckedBlock, type CheckedDocument } from './engine/check.ts'
export type { Block, Document, ExplainedDiagnostic, NotExecuted, SkippedBlock } from '@clada/reply/core/block.ts'
export type { Diagnostic } from '@clada/reply/core/diagnostic.ts'
export type { SyntaxName } from '@clada/reply/syntax/table.ts'

// Definitions of syntaxes
export type { OwnBlock, OwnSyntax } from '@clada/reply/syntax/own-syntax.ts'

// Results
export type { Code } from '@clada/reply/core/codes.ts'
export type {
  ActionResult,
  Details,
  ExecutionResult,
  FileChange,
  FileDiff,
  ParseError,
  PlaceChoice,
  Preview,
  ReviewNote,
} from './core/result.ts'

// Reviews
export type {
  BlockChoice,
  ChangedPlace,
  Review,
  ReviewChoices,
  ReviewedBlock,
  ReviewedFile,
  ReviewHunk,
  ReviewPlace,
} from './core/review.ts'

// History
export type { ExecutionChanges, ExecutionDetail, HistoryEntry, HistoryQuery } from './engine/history-run.ts'
export type { Executed } from './store/timeline.ts'
export type { UndoOptions, UndoResult } from './timetravel/undo.ts'
export type { StepResult } from './timetravel/back-forward.ts'
export type { SquashOptions, SquashRun } from './timetravel/squash.ts'
export type { SquashResult } from './timetravel/squash.ts'

// Watching a file
export { startListener, type Listener, type ListenerOptions } from './watch/listener.ts'
export type { Done, ListenerEvent, Origin } from './watch/run-units.ts'
export { ListenerError } from './watch/place.ts'

// Definitions of actions
export const actions: readonly ActionSpec[] = allActions()
export { checkExamples } from './api/check-examples.ts'
export { actionFailed, defineAction, ok, param } from './core/action.ts'
export type { ActionContext, ActionSpec, Example, Outcome, Param } from './core/action.ts'
export type { Files, PathArg, TextFile } from './core/files.ts'
export type { Shape } from './core/shape.ts'

// Functions with the signatures of the seeds, which `clada/compat` has too
export * from './compat/seeds.ts'
