import fs from 'node:fs'
import path from 'node:path'
import { Contents } from './contents.ts'
import { identityOf } from './message.ts'
import type { ExecutionRecord, PathRecord, State } from './record.ts'
import { hasOtherRefs, type Head, moveRef, refAt } from './repository.ts'
import type { Room } from './room.ts'
import { sidesIn } from './tree-contents.ts'

/** All checkpoints hang on this one reference, each on the one before it. */
export const checkpointsRef = 'refs/clada/checkpoints'

export interface ShadowPlan {
  readonly room: Room
  readonly head: Head
  readonly record: ExecutionRecord
  readonly message: string
  readonly author: string | null
  /** Entries of the record, with their path in the repository. */
  readonly entries: readonly { readonly name: string; readonly entry: PathRecord }[]
  readonly contents: Contents
}

/**
 * Two commits, the state before and the state after, that differ from what is checked out in nothing but the touched
 * paths. `git fast-import` reads neither the index nor the other files, so this costs the same in any repository.
 */
export async function saveShadow(plan: ShadowPlan): Promise<{ before: string; after: string }> {
  const { repository } = plan.room
  // Git checks the reference as it moves it; where it cannot write it from the room, it is moved afterwards.
  const direct = !hasOtherRefs(repository)
  if (direct) plan.room.share(path.dirname(checkpointsRef))
  for (let round = 0; ; round++) {
    const previous = await refAt(repository, checkpointsRef)
    try {
      const saved = await imported(plan, previous, direct ? checkpointsRef : 'refs/heads/saved')
      if (!direct) await moveRef(repository, checkpointsRef, saved.after, previous, `clada: ${plan.record.number}`)
      return saved
    } catch (error) {
      // An execution elsewhere in the same repository came first: then this one follows it.
      if (round === 20 || (await refAt(repository, checkpointsRef)) === previous) throw error
    }
  }
}

async function imported(
  { room, head, record, entries, contents, message, author }: ShadowPlan,
  previous: string | undefined,
  target: string,
): Promise<{ before: string; after: string }> {
  const [first, second] = head.commit === undefined ? [previous, undefined] : [head.commit, previous]
  const modes = await modesIn(room, first, entries)
  const { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail, GIT_COMMITTER_DATE: date } = identityOf(author)
  const who = `author ${name} <${mail}> ${date}\ncommitter ${name} <${mail}> ${date}\n`
  const stream = new Stream()
  stream.text(`feature done\ncommit ${target}\nmark :1\n${who}`)
  stream.data(Buffer.from(`clada: before execution ${record.number}\n`))
  if (first !== undefined) stream.text(`from ${first}\n`)
  if (second !== undefined && second !== first) stream.text(`merge ${second}\n`)
  for (const { name: path, entry } of entries) stream.change(path, entry.before, contents, modes)
  stream.text(`\ncommit ${target}\nmark :2\n${who}`)
  stream.data(Buffer.from(message))
  stream.text('from :1\n')
  for (const { name: path, entry } of entries) stream.change(path, entry.after, contents, modes)
  stream.text('\ndone\n')

  const marks = room.file('marks')
  const force = target === checkpointsRef ? [] : ['--force']
  await room.git(['fast-import', '--quiet', '--done', ...force, `--export-marks=${marks}`], {
    input: stream.bytes(),
    // Two names that differ in large and small letters are two here, whatever the disk makes of them.
    env: { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.ignoreCase', GIT_CONFIG_VALUE_0: 'false' },
  })
  const found = new Map(
    fs
      .readFileSync(marks, 'utf8')
      .split('\n')
      .map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? ''] as const),
  )
  return { before: found.get(':1') ?? '', after: found.get(':2') ?? '' }
}

/** Modes as the repository has them, where those on the disk mean nothing. */
async function modesIn(room: Room, commit: string | undefined, entries: ShadowPlan['entries']) {
  const modes = new Map<string, string>()
  if (room.config.modes || commit === undefined) return modes
  for (let at = 0; at < entries.length; at += 500) {
    const names = entries.slice(at, at + 500).map(({ name }) => name)
    for (const { name, mode } of await sidesIn(room, commit, names)) modes.set(name, mode)
  }
  return modes
}

class Stream {
  readonly #parts: Buffer[] = []

  text(text: string): void {
    this.#parts.push(Buffer.from(text))
  }

  data(bytes: Buffer): void {
    this.text(`data ${bytes.length}\n`)
    this.#parts.push(bytes)
    this.text('\n')
  }

  change(name: string, state: State, contents: Contents, modes: ReadonlyMap<string, string>): void {
    const quoted = `"${name.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n')}"`
    const bytes = state.type === 'symlink' ? Buffer.from(state.target) : contents.bytesOf(state)
    if (bytes === undefined) return this.text(`D ${quoted}\n`)
    this.text(`M ${modes.get(name) ?? modeOf(state)} inline ${quoted}\n`)
    this.data(bytes)
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

function modeOf(state: State): string {
  if (state.type === 'symlink') return '120000'
  return state.type === 'file' && state.mode & 0o100 ? '100755' : '100644'
}
