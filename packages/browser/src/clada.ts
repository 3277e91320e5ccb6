import type {
  CheckedReply,
  PairedKey,
  Progress,
  CompanionProjects,
  RunningProject,
  UndoneReply,
} from '../../clada/src/ui/companion.ts'
import type { BlockDetail } from '../../clada/src/ui/protocol.ts'
import { ExtensionError } from './failure.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { readSignedAnswer, type CompanionKey, sign } from './signed.ts'
import { changeSite, findSite } from './sites.ts'

/** The running clada processes, which only the panel and the popup talk to. */

/** What clada answers to each request. */
interface Answers {
  projects: CompanionProjects
  look: CheckedReply
  block: BlockDetail
  show: { readonly address?: string }
  apply: Progress
  result: Progress
  answer: Progress
  stop: Progress
  undo: UndoneReply
  prompt: { readonly text: string }
  forget: null
}

/** clada is running, and has forgotten the pairing. */
export class Unpaired extends ExtensionError {}

/** clada refused a request, with a reason. */
export class RefusedError extends ExtensionError {}

export async function ask<Route extends keyof Answers>(
  port: number,
  route: Route,
  body: object,
  { seconds = 25 } = {},
): Promise<Answers[Route]> {
  const key = await readKey()
  if (key === undefined) throw new Unpaired('Pair this extension with clada first.')
  const text = JSON.stringify(body)
  const { nonce, header } = await sign(key, port, route, text)
  const { status, value } = await post(port, route, text, { 'x-clada-companion': header }, seconds)
  if (status === 401) throw new Unpaired('clada does not know this extension any more. Pair it again.')
  const given = await readSignedAnswer(key, nonce, status, value).catch(() => {
    throw new ExtensionError('What listens on the port of clada is not clada.')
  })
  // The types are those of the side that has just proved who it is.
  const answer: Answers[Route] & { error?: unknown } = JSON.parse(given)
  if (status !== 200)
    throw new RefusedError(typeof answer.error === 'string' ? answer.error : `clada answered ${status}.`)
  return answer
}

/** Makes this installation known to clada, by the code that the terminal shows: the port, and eight letters. */
export async function pair(code: string): Promise<RunningProject> {
  const [, port, letters] = /^\s*(\d{1,5})\W+([\w-]+)\s*$/.exec(code) ?? []
  if (port === undefined) throw new ExtensionError('A code looks like 17345-ABCD-EFGH. clada ui prints it.')
  const { status, value } = await post(Number(port), 'pair', JSON.stringify({ code: letters }), {}, 10)
  const given: Partial<PairedKey> & { error?: unknown } = isRecord(value) ? value : {}
  const { id, key, project, error } = given
  if (status !== 200 || id === undefined || key === undefined || project === undefined)
    throw new ExtensionError(typeof error === 'string' ? error.slice(0, 200) : `clada answered ${status}.`)
  await chrome.storage.local.set({ key: { id, key }, ports: [Number(port)] })
  return project
}

export async function readKey(): Promise<CompanionKey | undefined> {
  const { key } = await chrome.storage.local.get('key')
  if (!isRecord(key) || typeof key['id'] !== 'string' || typeof key['key'] !== 'string') return undefined
  return { id: key['id'], key: key['key'] }
}

/** Every project that is running (@throws Unpaired if none knows this extension): those of the ports where one was before, and those that these know of. */
export async function listRunningProjects(): Promise<RunningProject[]> {
  const { ports } = await chrome.storage.local.get('ports')
  const waiting = new Set(Array.isArray(ports) ? ports.map(Number) : [])
  const asked = new Set<number>()
  const found: RunningProject[] = []
  let unpaired: Unpaired | undefined
  while (asked.size < mostPorts) {
    const next = [...waiting].filter((port) => !asked.has(port)).slice(0, mostPorts)
    if (next.length === 0) break
    for (const port of next) asked.add(port)
    const answers = await Promise.all(
      next.map((port) =>
        ask(port, 'projects', {}, { seconds: 2 }).catch((error: unknown) => {
          if (error instanceof Unpaired) unpaired = error
        }),
      ),
    )
    for (const answer of answers) {
      if (!answer) continue
      const { id, name, port } = answer
      found.push({ id, name, port })
      for (const other of answer.others) waiting.add(other)
    }
  }
  // A port where nothing is running now may be one where clada is started again.
  const known = [...new Set([...found.map(({ port }) => port), ...asked])].slice(0, mostPorts)
  await chrome.storage.local.set({ ports: known })
  if (found.length === 0 && unpaired !== undefined) throw unpaired
  return found
}

const mostPorts = 40

async function post(
  port: number,
  route: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  seconds: number,
): Promise<{ status: number; value: unknown }> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/companion/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(seconds * 1000),
    })
    const value: unknown = await response.json()
    return { status: response.status, value }
  } catch {
    throw new ExtensionError('clada does not answer. Start clada ui in your project.')
  }
}

/** How a site is connected with a project that runs. */
export type Link =
  | { readonly kind: 'unpaired' }
  | { readonly kind: 'stopped' }
  /** `isGone`: the project of the site is not among those that run. */
  | { readonly kind: 'choose'; readonly projects: readonly RunningProject[]; readonly isGone: boolean }
  | { readonly kind: 'ready'; readonly project: RunningProject; readonly projects: readonly RunningProject[] }

/** The project of a site. The only one that is running is chosen without a question. */
export async function findLink(site: string): Promise<Link> {
  if ((await readKey()) === undefined) return { kind: 'unpaired' }
  const projects = await listRunningProjects().catch((error: unknown) => {
    if (error instanceof Unpaired) return undefined
    throw error
  })
  if (projects === undefined) return { kind: 'unpaired' }
  const [only] = projects
  if (only === undefined) return { kind: 'stopped' }
  const { project: chosen } = await findSite(site)
  if (chosen === undefined && projects.length === 1) {
    await changeSite(site, { project: only.id })
    return { kind: 'ready', project: only, projects }
  }
  const project = projects.find(({ id }) => id === chosen)
  return project === undefined
    ? { kind: 'choose', projects, isGone: chosen !== undefined }
    : { kind: 'ready', project, projects }
}
