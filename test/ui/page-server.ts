import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { inject, onTestFinished } from 'vitest'
import type { ReportOptions } from '../../packages/clada/src/report/parts.ts'
import type { CladaOptions } from '../../packages/clada/src/config/settings.ts'
import { type PageServer, servePage } from '../../packages/clada/src/ui/server.ts'
import { remove } from '../support/scratch.ts'

export interface Served extends PageServer {
  readonly origin: string
}

/** A page on a project, in this process. Approvals and the approval socket are in a state directory of the test's own. */
export async function served(
  root: string,
  options: CladaOptions = {},
  port = 0,
  report: ReportOptions = {},
  host?: string,
): Promise<Served> {
  privateState()
  const page = await servePage({
    options: { repoPath: root, ...options },
    port: { number: port, kind: 'required' },
    host,
    inputFile: path.join(root, 'clada_input.md'),
    report,
    assets: path.join(inject('dist'), 'ui'),
  })
  onTestFinished(() => page.close())
  return { ...page, origin: `http://127.0.0.1:${page.port}` }
}

function privateState(): void {
  if (process.env['XDG_STATE_HOME']?.includes('clada-page-')) return
  const before = process.env['XDG_STATE_HOME']
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-page-'))
  process.env['XDG_STATE_HOME'] = state
  onTestFinished(async () => {
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
    await remove(state)
  })
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A request exactly as given: nothing is added, nothing is made valid. */
export function request(
  page: Pick<Served, 'port'>,
  target: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: http.OutgoingHttpHeaders; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = http.request(
      { host: '127.0.0.1', port: page.port, path: target, method, headers: { ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

export interface Entered {
  /** What the browser sends with everything. */
  readonly cookie: string
  /** What only the tab has. */
  readonly key: string
}

/** Spends the address and gives what it opens. */
export async function entered(page: Served): Promise<Entered> {
  const { pathname, search } = new URL(page.address())
  const { headers, body } = await request(page, pathname + search)
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', key: keyIn(body) ?? '' }
}

/** The key that a page brings along. */
export const keyIn = (html: string): string | undefined => /<meta name="clada-key" content="([^"]*)"/.exec(html)?.[1]
