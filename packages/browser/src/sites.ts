import { isRecord } from '@clada/reply/core/is-record.ts'

/** What is remembered of a site. */
export interface Site {
  readonly enabled: 'always' | 'once' | 'off'
  /** The project that its replies are for. */
  readonly project?: string
}

export async function sites(): Promise<Record<string, Site>> {
  const kept = await chrome.storage.local.get('sites')
  return isRecord(kept['sites']) ? JSON.parse(JSON.stringify(kept['sites'])) : {}
}

export const findSite = async (origin: string): Promise<Site> => (await sites())[origin] ?? { enabled: 'off' }

export async function changeSite(origin: string, change: Partial<Site>): Promise<void> {
  const all = await sites()
  await chrome.storage.local.set({ sites: { ...all, [origin]: { ...(all[origin] ?? { enabled: 'off' }), ...change } } })
}
