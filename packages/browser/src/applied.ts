import { isRecord } from '@clada/reply/core/is-record.ts'

/** Which replies were applied, by their digests, so that their bars say so after a reload. */

export async function findApplied(hash: string): Promise<string | undefined> {
  const said = (await all())[hash]
  return typeof said === 'string' ? said : undefined
}

/** `said`: the result in a few words; undefined after an undo. */
export async function rememberApplied(hash: string, said: string | undefined): Promise<void> {
  const { [hash]: _, ...others } = await all()
  const kept = Object.entries(others).slice(1 - mostRemembered)
  const applied = said === undefined ? kept : [...kept, [hash, said]]
  await chrome.storage.local.set({ applied: Object.fromEntries(applied) })
}

async function all(): Promise<Readonly<Record<string, unknown>>> {
  const { applied } = await chrome.storage.local.get('applied')
  return isRecord(applied) ? applied : {}
}

const mostRemembered = 500
