/**
 * A program against the public types, as others have written theirs. It is compiled against the sources and against the
 * packed declarations; when it does not compile any more, a change of the types breaks programs, and the next version is a
 * new major one. Add uses; do not change those that are here.
 */
import {
  actions,
  checkDocument,
  Clada,
  clearActionSchemaCache,
  createClada,
  delete_structure,
  executeFileOperation,
  extractNumberedLines,
  FileOpError,
  list_structures,
  ListenerError,
  parse,
  parseSham,
  parseShamResponse,
  readConfig,
  read_structure,
  replaceText,
  replace_structure,
  SettingsError,
  startListener,
  transformToAction,
  TransformError,
  validateAction,
  validateShamBlock,
  type ActionResult,
  type ActionSpec,
  type ApprovalAnswer,
  type ApprovalRequest,
  type Ask,
  type CladaOptions,
  type CheckedDocument,
  type Code,
  type Document,
  type ExplainedDiagnostic,
  type ExecuteOptions,
  type ExecutionDetail,
  type ExecutionResult,
  type FileChange,
  type FileDiff,
  type HistoryEntry,
  type Listener,
  type ListenerOptions,
  type ParseError,
  type Preview,
  type Review,
  type ReviewChoices,
  type SquashResult,
  type StepResult,
  type SyntaxName,
  type UndoOptions,
  type UndoResult,
} from '../../packages/clada/src/index.ts'

const ask: Ask = async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
  const line: string = request.command
  return line === 'npm test' ? 'once' : 'no'
}

const options: CladaOptions = {
  repoPath: '.',
  git: 'shadow',
  gitAuthor: 'A <a@b.c>',
  allowedRoots: ['/tmp'],
  deniedPatterns: ['*.pem'],
  allowedActions: ['file_write'],
  relativePaths: true,
  atomic: true,
  matching: 'tolerant',
  proposals: 'apply',
  evidence: 'lines',
  exec: 'off',
  approve: ['npm test'],
  ask,
}

export async function run(text: string, signal: AbortSignal): Promise<string[]> {
  const clada: Clada = createClada(options)
  const during: ExecuteOptions = {
    signal,
    timeLimit: 1000,
    only: ['1'],
    onAction: ({ seq, success }: ActionResult) => void [seq.toFixed(), success === true],
    onChanges: (_: ActionResult, changes: readonly FileChange[]) => void changes.map(({ path }) => path.length),
  }
  const result: ExecutionResult = await clada.execute(text, during)
  const codes: (Code | undefined)[] = result.results.map(({ code }) => code)
  const diagnostics: ParseError[] = result.parseErrors
  const preview: Preview = await clada.preview(text)
  const diffs: readonly FileDiff[] = preview.diffs
  const one: ExecutionResult = await clada.perform('file_write', { path: 'a', content: 'b' })
  const two: ExecutionResult = await clada.call('file_read', { path: 'a' })
  const commit: string | undefined = one.gitCommit ?? two.fatalError
  return [
    ...codes.map(String),
    ...diagnostics.map(({ message }) => message),
    ...diffs.map(({ diff }) => diff),
    `${commit}`,
  ]
}

export async function travel(clada: Clada): Promise<number> {
  const undo: UndoOptions = { force: true }
  const done: UndoResult = await clada.undo(undo)
  const again: UndoResult = await clada.redo()
  const steps: StepResult[] = [await clada.back(), await clada.forward()]
  const squashed: SquashResult = await clada.squash({ hours: 1 })
  const entries: HistoryEntry[] = await clada.history()
  const detail: ExecutionDetail | undefined = await clada.execution(entries[0]?.number ?? 1)
  return [done, again, ...steps, squashed].filter(({ success }) => success).length + (detail?.diffs.length ?? 0)
}

export async function review(clada: Clada, text: string): Promise<ExecutionResult> {
  const choices: ReviewChoices = {}
  const shown: Review = await clada.review(text, choices)
  return clada.execute(text, { review: choices, only: shown.blocks.map(({ task }) => task) })
}

export async function look(text: string): Promise<number> {
  const document: Document<ExplainedDiagnostic> = parse(text)
  const checked: CheckedDocument = await checkDocument(text, { repoPath: '.' })
  const names: SyntaxName[] = ['sham', 'csl', 'cml', 'replacer', 'search-replace', 'apply-patch', 'udiff']
  const specs: readonly ActionSpec[] = actions
  return document.blocks.length + checked.blocks.length + names.length + specs.filter(({ name }) => name).length
}

export async function watch(): Promise<void> {
  const place: ListenerOptions = { filePath: 'in.md' }
  const listener: Listener = await startListener(place)
  await listener.stop()
}

/** The functions of earlier libraries, as their callers call them. */
export async function earlier(): Promise<unknown[]> {
  const block = { id: 'abc', properties: { action: 'file_write', path: '/a', content: 'b' }, startLine: 1, endLine: 2 }
  clearActionSchemaCache()
  return [
    parseSham(''),
    await parseShamResponse(''),
    validateAction(block, {}),
    validateShamBlock(block, { parameters: {} }),
    transformToAction(block, { parameters: {} }),
    await executeFileOperation({
      action: 'file_write',
      parameters: {},
      metadata: { blockId: 'a', startLine: 1, endLine: 2 },
    }),
    extractNumberedLines('a\nb', '1-2', ': ').result,
    replaceText('a', 'a', 'b').result,
    await list_structures('a.ts'),
    await read_structure('a.ts', 'A'),
    await replace_structure('a.ts', 'A', ''),
    await delete_structure('a.ts', 'A'),
    readConfig,
    [FileOpError, ListenerError, SettingsError, TransformError].map((one) => one.name),
  ]
}
