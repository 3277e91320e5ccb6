import { randomUUID } from 'node:crypto'
import { SignalStop } from '../stop-signals.ts'
import { Clada } from '../../api/clada.ts'
import { pathsIn, projectPrompt } from '../../api/project-prompt.ts'
import { withSection } from '../../describe/prompt.ts'
import { type CladaOptions, settingsOf } from '../../config/settings.ts'
import { type FileChange } from '../../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { type Ending, endingLine, type LoopEvent, type LoopResult, runLoop } from '../../loop/loop.ts'
import { apiModel, type Model, programModel } from '../../loop/model.ts'
import { Transcript, type Turn } from '../../loop/transcript.ts'
import { spellOut } from '../../report/words.ts'
import { escapeJson } from '@clada/reply/text/spell-out.ts'
import { unifiedDiff } from '@clada/reply/text/unified-diff.ts'
import type { Ask } from '../../core/commands.ts'
import { makeAsk } from '../ask.ts'
import { ProgressLine } from '../live-output.ts'
import type { Command, ExitCode } from '../command.ts'
import { type FlagValues, readNumber, programs, running, saving, UsageError } from '../flags.ts'
import { loadConfigured, forLongProcess, paintFor, reportOptions, withConfig } from '../options.ts'
import { now } from '../../core/time-limit.ts'
import { type Paint, paintDiff, prettyAction, prettyEnd, withoutColor } from '../../report/pretty.ts'
import type { ReportOptions } from '../../report/parts.ts'
import { wrapLine } from '../../report/width.ts'
import { elapsedText, openEndNotice } from '../end-notice.ts'
import { canAsk, columnsOf, print } from '../streams.ts'
import { executionNumber } from './history.ts'
import { drawTaskMap } from './prompt.ts'

export const command: Command = {
  name: 'loop',
  group: 'agents',
  usage: 'clada loop TASK [--until CMD] -- PROGRAM [ARG…]',
  summary: 'let a model work on a task, reply after reply',
  about:
    'Asks a model, applies its reply as it arrives, and sends back the report, until the command of --until succeeds, a\nreply has no blocks, or a limit is reached. The model is a program that reads the prompt on standard input and writes\nthe reply to standard output, or a server (--api). The replies go to stderr, the summary with the diff to stdout.',
  documents: true,
  flags: [
    'until',
    'api',
    'model',
    'api-key-env',
    'rounds',
    'time',
    'tokens',
    'window',
    'unattended',
    'one-commit',
    'resume',
    'replay',
    ...running.filter((name) => name !== 'format' && name !== 'budget'),
    ...programs.filter((name) => name !== 'output-mode'),
    'matching',
    'patches',
    ...saving,
    'timeout',
    'quiet',
    'help',
  ],
  examples: [
    ['clada loop "make the tests pass" --until "npm test" -- ollama run qwen3-coder', 'a program'],
    ['clada loop "fix the tests" --api http://127.0.0.1:11434/v1 --model qwen3-coder', 'a server on this machine'],
    ['clada loop --resume 3 -- claude -p', 'go on with loop 3'],
    ['clada undo --loop', 'undo everything that the last loop did'],
  ],
  run: async ({ flags, words }) => {
    const { options: read, config } = await loadConfigured(flags)
    const options = forLongProcess(read)
    const { root } = settingsOf(options)
    const asked = await askedLoop(flags, words, root)
    const { until } = asked
    const transcript =
      asked.resumed ??
      Transcript.begin(root, {
        id: randomUUID(),
        started: new Date().toISOString(),
        task: asked.task,
        model: asked.model.name,
        until,
      })
    const { id, number } = transcript.record
    const progress = new ProgressLine('programs')
    const { ask } = makeAsk(paintFor(flags, 2))
    const asking: Ask = (request) => progress.asking(() => ask(request))
    const loopOptions: CladaOptions = {
      ...options,
      ask: flags.unattended === undefined && canAsk() ? asking : undefined,
      conversation: { kind: 'loop', id },
      approve: [...(options.approve ?? []), ...(until === undefined ? [] : [until])],
    }
    const prompt = asked.resumed?.prompt ?? (await loopPrompt(asked.task, until, loopOptions, config.prompt.rules))
    transcript.keepPrompt(prompt)
    const stop = new SignalStop()
    const ignore = stop.listen()
    const time = readNumber(flags, 'time')
    const notice = await openEndNotice(flags)
    const begun = now()
    const configured = await withConfig(flags)
    const shown = flags.quiet === undefined ? showEvents(configured, progress, asked.model.name) : undefined
    const result = await runLoop({
      model: asked.model,
      clada: loopOptions,
      report: reportOptions(configured),
      prompt,
      until,
      limits: {
        rounds: asked.rounds,
        window: readNumber(flags, 'window') ?? 32_000,
        tokens: readNumber(flags, 'tokens'),
        timeMs: time === undefined ? undefined : time * 1000,
      },
      transcript,
      before: asked.before,
      signal: stop.signal,
      hear: (event) => shown?.hear(event),
    })
    progress.end()
    shown?.end()
    ignore()
    transcript.note({ ended: result.ending })
    const clada = new Clada(loopOptions)
    const changes = await changesOf(clada, id)
    if (flags['one-commit'] !== undefined) await squashLoop(clada, id, asked.task)
    if (flags.json !== undefined)
      print(
        escapeJson(
          JSON.stringify({ loop: number, ...result, files: changes.map(({ path, change }) => ({ path, change })) }),
        ),
      )
    else if (flags.quiet === undefined)
      print(summarizeLoop({ number, result, changes, until, elapsedMs: now() - begun }, paintFor(flags)))
    notice(`clada loop ${number}: ${endingLine(result)}`)
    return stop.exitCode ?? codes[result.ending]
  },
}

/** Only a command can tell whether the task is done; a model that stops by itself claims that it is. */
const codes: Readonly<Record<Ending, ExitCode>> = {
  until: 0,
  refused: 2,
  'no-blocks': 0,
  rounds: 1,
  tokens: 1,
  time: 1,
  stopped: 130,
  'no-progress': 1,
  model: 1,
}

interface LoopRequest {
  readonly task: string
  readonly until: string | undefined
  readonly model: Model
  readonly rounds: number
  readonly before: readonly Turn[]
  readonly resumed?: Transcript
}

/** @throws UsageError */
async function askedLoop(flags: FlagValues, words: readonly string[], root: string): Promise<LoopRequest> {
  const [until] = flags.until ?? []
  const rounds = readNumber(flags, 'rounds') ?? 20
  if (flags.replay !== undefined) {
    const { record, turns } = openTranscript(root, flags.replay[0])
    const { task, number } = record
    if (words.length > 0) throw new UsageError('--replay takes the task and the replies from the loop.')
    const model = replaying(turns, `replay of loop ${number}`)
    return { task, until: until ?? record.until, model, rounds: turns.length, before: [] }
  }
  if (flags.resume !== undefined) {
    const { transcript, record, turns } = openTranscript(root, flags.resume[0])
    const model = modelOf(flags, words)
    return { task: record.task, until: until ?? record.until, model, rounds, before: turns, resumed: transcript }
  }
  const [task, ...program] = words
  if (task === undefined || task.trim() === '')
    throw new UsageError('Name the task: clada loop "make the tests pass" -- PROGRAM')
  return { task, until, model: modelOf(flags, program), rounds, before: [] }
}

/** @throws UsageError where there is no such loop */
function openTranscript(
  root: string,
  word = '',
): { transcript: Transcript; record: Transcript['record']; turns: Turn[] } {
  const transcript = Transcript.open(root, executionNumber(word))
  if (transcript !== undefined) return { transcript, record: transcript.record, turns: transcript.turns() }
  const last = Transcript.last(root)
  throw new UsageError(
    `There is no loop ${word} here.${last === undefined ? '' : ` The last one is ${last}: clada loop --resume ${last}.`}`,
  )
}

function modelOf(flags: FlagValues, program: readonly string[]): Model {
  const [url] = flags.api ?? []
  const [model] = flags.model ?? []
  const [variable] = flags['api-key-env'] ?? []
  if (url === undefined) {
    if (program.length === 0)
      throw new UsageError('Name the model: a program after --, or a server with --api URL --model NAME.')
    return programModel(program)
  }
  if (program.length > 0) throw new UsageError('Give either --api or a program after --, not both.')
  if (model === undefined) throw new UsageError('--api needs --model NAME.')
  if (!/^https?:\/\//.test(url))
    throw new UsageError(`--api must be an address such as http://127.0.0.1:11434/v1, not '${url}'.`)
  if (/^https?:\/\/[^/?#]*@/.test(url))
    throw new UsageError('--api takes no name and password in the address. Name a key with --api-key-env.')
  const key = variable === undefined ? undefined : process.env[variable]
  if (variable !== undefined && (key === undefined || key === ''))
    throw new UsageError(`The environment variable ${variable} is not set.`)
  return apiModel({ url, model, key })
}

/** Replays the replies of a loop. */
function replaying(turns: readonly Turn[], name: string): Model {
  let next = 0
  return {
    name,
    reply: async function* () {
      yield turns[next++]?.reply ?? ''
    },
  }
}

async function loopPrompt(
  task: string,
  until: string | undefined,
  options: CladaOptions,
  rules: readonly string[],
): Promise<string> {
  const { contextText } = await import('../../api/context-text.ts')
  const context = await contextText(new Clada(options), settingsOf(options), { budget: 12_000 })
  const files = 'error' in context || context.text === '' ? '' : `\n\nThe files you work on:\n${context.text}`
  const goal =
    until === undefined ? '' : `\nThe task is done when \`${until}\` succeeds; it is run after each of your replies.`
  const { text } = projectPrompt(options, { rules, files: pathsIn(task), map: await drawTaskMap(task, options) })
  return withSection(
    text,
    `Your task: ${task}${goal}\nWork in small steps. You get a report after each reply. When nothing is left to do, answer without blocks.${files}`,
  )
}

interface ShownEvents {
  readonly hear: (event: LoopEvent) => void
  /** Before anything else is printed. */
  readonly end: () => void
}

/** A person reads what went wrong; the report that the model reads is kept with the loop. */
function showEvents(flags: FlagValues, progress: ProgressLine, model: string): ShownEvents {
  const begun = now()
  const paint = paintFor(flags, 2)
  const options = reportOptions(flags)
  const shown: ReportOptions = {
    ...options,
    color: paint !== withoutColor,
    columns: columnsOf(2),
    outputLimit: 1000,
    errorDetail: options.errorDetail ?? 'minimal',
  }
  const sayLines = (lines: readonly string[]): void => say(lines.map((line) => `${line}\n`).join(''))
  let isLineOpen = false
  const say = (text: string): void => {
    if (text === '') return
    progress.clear()
    process.stderr.write(text)
    isLineOpen = false
  }
  // A model seldom ends its reply with a line break.
  const endLine = (): void => {
    if (isLineOpen) say('\n')
  }
  const hear = (event: LoopEvent): void => {
    if (event.kind !== 'text') endLine()
    switch (event.kind) {
      case 'round':
        say(`\n${paint.bold(`--- round ${event.round} (${event.tokens} tokens, ${elapsedText(now() - begun)}) ---`)}\n`)
        return progress.busy(`waiting for ${model}`)
      case 'program':
        return progress.program(event.what)
      case 'text':
        say(paint.dim(spellOut(event.text)))
        isLineOpen = event.text !== '' && !event.text.endsWith('\n')
        return
      case 'action': {
        // What was read is for the model.
        const { success, data: _, ...rest } = event.result
        sayLines(['', ...prettyAction(success ? { ...rest, success } : event.result, shown)])
        // The model may still be writing.
        return progress.busy(`waiting for ${model}`)
      }
      case 'applied':
        return sayLines(event.result.success ? [] : ['', ...prettyEnd(event.result, shown)])
      case 'until': {
        const why = event.success ? [] : event.result.results.flatMap((one) => prettyAction(one, shown).slice(1))
        return sayLines(['', `--until: ${event.success ? paint.green('succeeds') : paint.red('fails')}`, ...why])
      }
      case 'retry':
        return say(
          `${paint.yellow(`clada: ${spellOut(event.reason)}; attempt ${event.attempt} of ${event.of} in ${elapsedText(event.afterMs)}`)}\n`,
        )
    }
  }
  return { hear, end: endLine }
}

/** The total changes of all executions of the loop. */
async function changesOf(clada: Clada, id: string): Promise<FileChange[]> {
  const files = new Map<string, FileChange>()
  for (const { number, conversation, undone } of await clada.history()) {
    if (conversation?.id !== id || undone) continue
    for (const change of (await clada.changesOf(number))?.changes ?? []) {
      const first = files.get(change.path)
      files.set(change.path, first === undefined ? change : { ...change, before: first.before })
    }
  }
  return [...files.values()].filter(({ before, after, binary }) => binary || before !== after)
}

async function squashLoop(clada: Clada, id: string, task: string): Promise<void> {
  const entries = (await clada.history()).filter(({ conversation }) => conversation?.id === id)
  const only = entries.flatMap(({ commit }) => commit ?? [])
  if (only.length > 1) await clada.squash({ only, containing: '', message: `AI: ${task.split('\n', 1)[0]}` })
}

interface LoopSummary {
  readonly number: number
  readonly result: LoopResult
  readonly changes: readonly FileChange[]
  readonly until: string | undefined
  readonly elapsedMs: number
}

function summarizeLoop({ number, result, changes, until, elapsedMs }: LoopSummary, paint: Paint): string {
  const state = (success: boolean): string => (success ? 'succeeded' : 'failed')
  const diffs = changes.map(({ path, before, after, binary }) =>
    binary ? `Binary file ${path} changed\n` : unifiedDiff(before && path, after && path, before, after, {}),
  )
  const ink = codes[result.ending] === 0 ? paint.green : paint.yellow
  const columns = columnsOf(1)
  const sentence = (text: string): string[] => wrapLine(spellOut(text), columns)
  return [
    ...sentence(`Loop ${number}. ${endingLine(result)} It took ${elapsedText(elapsedMs)}.`).map(ink),
    ...(result.until === undefined
      ? []
      : sentence(`${until}: ${state(result.until.before)} before, ${state(result.until.after)} after.`)),
    ...sentence(
      changes.length === 0
        ? 'No file was changed.'
        : `${formatCount(changes.length, 'file')} changed; clada undo --loop undoes all of it.`,
    ),
    ...(diffs.length === 0
      ? []
      : [
          '',
          ...diffs
            .join('')
            .trimEnd()
            .split('\n')
            .map((line) => paintDiff(spellOut(line), paint)),
        ]),
  ].join('\n')
}
