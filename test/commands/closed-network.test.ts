import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { approvalLine } from '../../packages/clada/src/approvals/approval-line.ts'
import { Approvals } from '../../packages/clada/src/approvals/approvals.ts'
import { seemsToMissNetwork } from '../../packages/clada/src/commands/blocked-network.ts'
import type { Contained } from '../../packages/clada/src/commands/contained.ts'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { needs } from '../support/needs.ts'

beforeEach(() => {
  const before = process.env['XDG_STATE_HOME']
  process.env['XDG_STATE_HOME'] = scratchDir()
  onTestFinished(() => {
    if (before === undefined) delete process.env['XDG_STATE_HOME']
    else process.env['XDG_STATE_HOME'] = before
  })
})

const failed = (output: string, more: object = {}): Contained => ({
  ok: true,
  contained: true,
  notKept: [],
  changed: [],
  warnings: [],
  end: {
    stdout: '',
    stderr: '',
    output,
    exitCode: 1,
    signal: null,
    ended: 'itself',
    status: '',
    allEnded: true,
    ...more,
  },
})

describe('a failure for want of the network', () => {
  it.each([
    'curl: (6) Could not resolve host: example.org',
    "fatal: unable to access 'https://example.org/x.git/': Could not resolve host: example.org",
    "wget: unable to resolve host address 'example.org'",
    "wget: bad address 'example.org'",
    'ssh: Could not resolve hostname example.org: Temporary failure in name resolution',
    'npm error code EAI_AGAIN',
    'Error: getaddrinfo ENOTFOUND registry.example.org',
    'Error: connect ENETUNREACH 192.0.2.1:80 - Local (0.0.0.0:0)',
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
    'socket.gaierror: [Errno -2] Name or service not known',
    "urllib3.exceptions.NameResolutionError: Failed to resolve 'example.org'",
    'dial tcp: lookup proxy.example.org: no such host',
    'failed to lookup address information: Temporary failure in name resolution',
    'java.net.UnknownHostException: example.org',
    "W: Failed to fetch http://example.org/  Temporary failure resolving 'example.org'",
    'connect: Network is unreachable',
  ])('is known by what the program said: %s', (output) => {
    expect(seemsToMissNetwork({ network: false }, failed(`first\n${output}\nlast\n`))).toBe(true)
  })

  it.each([
    '1 test failed: expected 2 to be 3',
    "Error: ENOENT: no such file or directory, open 'network.json'",
    'Error: Cannot find module resolve-host',
    'bad address',
    'could not resolve the merge',
  ])('is not taken for one: %s', (output) => {
    expect(seemsToMissNetwork({ network: false }, failed(output))).toBe(false)
  })

  it('is none where the network was open, nothing failed, or somebody stopped it', () => {
    const said = 'curl: (6) Could not resolve host: example.org'
    expect(seemsToMissNetwork({ network: true }, failed(said))).toBe(false)
    expect(seemsToMissNetwork({ network: false }, { ...failed(said), contained: false } as Contained)).toBe(false)
    expect(seemsToMissNetwork({ network: false }, failed(said, { exitCode: 0 }))).toBe(false)
    expect(seemsToMissNetwork({ network: false }, failed(said, { ended: 'stopped' }))).toBe(false)
    expect(seemsToMissNetwork({ network: false }, failed(said, { ended: 'timeout', exitCode: null }))).toBe(true)
  })
})

describe('what failed for want of the network is told how to get it', () => {
  needs('sandbox')

  const script = 'echo "curl: (6) Could not resolve host: example.org" >&2; exit 6'
  const command = `sh -c '${script}'`
  const perform = (repoPath: string, action: string, params: Record<string, string>, options: CladaOptions = {}) =>
    new Clada({ repoPath, gitCommit: false, ...options }).perform(action, params)

  it('a command', async () => {
    const root = scratchDir()
    const { results } = await perform(root, 'run', { command }, { approve: [command] })
    const line = `'sh -c '\\''echo "curl: (6) Could not resolve host: example.org" >&2; exit 6'\\'''`
    expect(results[0]).toMatchObject({
      code: 'exec_failed',
      details: {
        advice: `The network is blocked for it, and it seems to need it. The user can allow it with: clada approve --network ${line} --root "${root}".`,
      },
    })
  })

  it('a command whose approval for this run says nothing of the network gets it by the one that does', async () => {
    const root = scratchDir()
    new Approvals(root).add(approvalLine(['sh', '-c', script], ''), { network: true })
    const { results } = await perform(root, 'run', { command }, { approve: [command] })
    expect(results[0]).toMatchObject({ code: 'exec_failed', error: 'run: Command failed with exit code 6' })
    expect(results[0]).not.toHaveProperty('details')
  })

  it('code', async () => {
    const { results } = await perform(scratchDir(), 'exec', { lang: 'bash', code: script })
    expect(results[0]).toMatchObject({
      code: 'exec_failed',
      details: { advice: expect.stringContaining('Code never has the network') },
    })
  })

  it.each([
    [{}, 'retries: 0 0 0'],
    [{ network: true }, 'retries:'],
  ])('a hook with %j asks again only where that can help', async (allowed, said) => {
    const asked = 'echo retries: $npm_config_fetch_retries $PIP_RETRIES $CARGO_NET_RETRY >&2; exit 1'
    const write = { path: 'a.txt', content: 'x' }
    const before = [{ run: asked, ...allowed }]
    const { fatalError } = await perform(scratchDir(), 'file_write', write, { hooks: { before } })
    expect(fatalError?.split('\n')).toContain(said)
  })

  it('a hook', async () => {
    const root = scratchDir()
    const write = { path: 'a.txt', content: 'x' }
    const hint = 'The network is blocked for it, and it seems to need it. network: true in this hook allows it.'
    const closed = await perform(root, 'file_write', write, { hooks: { before: [{ run: script }] } })
    expect(closed.fatalError?.split('\n').slice(-2)).toEqual(['curl: (6) Could not resolve host: example.org', hint])
    const open = await perform(root, 'file_write', write, { hooks: { before: [{ run: script, network: true }] } })
    expect(open.fatalError).not.toContain('The network is closed')
  })
})
