import fs from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { lacks, skipWithout } from '../support/needs.ts'

beforeEach(() => {
  const variables = { XDG_STATE_HOME: scratchDir(), SHOP_DATABASE: 'postgres://u:p@h/shop', SHOP_UNUSED: '1' }
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name]
    process.env[name] = value
    onTestFinished(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
})

function project(script: string): string {
  const root = scratchDir()
  fs.writeFileSync(path.join(root, 'start.sh'), script)
  return root
}

async function adviceFor(root: string, action: string, params: Record<string, string>, options: CladaOptions = {}) {
  const clada = new Clada({ repoPath: root, gitCommit: false, approve: ['sh start.sh'], ...options })
  const { results } = await clada.perform(action, params)
  return results[0]?.details?.advice ?? ''
}

const start = { command: 'sh start.sh' }

describe('a failed program', () => {
  it('is told which variable it names and was not passed', async (context) => {
    skipWithout(context, 'sandbox')
    const root = project('echo "SHOP_DATABASE is not set"; exit 1')
    expect(await adviceFor(root, 'run', start)).toMatch(
      /Not passed from the environment: SHOP_DATABASE\. .*clada approve --env SHOP_DATABASE "sh start\.sh"/,
    )
  })

  // `printenv` prints nothing of a variable that is not there.
  it.skipIf(lacks('sandbox')).each(['printenv SHOP_DATABASE', 'sh -c "exit 3" SHOP_DATABASE'])(
    'is told which variable its own words name: %s',
    async (command) => {
      expect(await adviceFor(project(''), 'run', { command }, { approve: [command] })).toMatch(
        /Not passed from the environment: SHOP_DATABASE\. .*clada approve --env SHOP_DATABASE /,
      )
    },
  )

  it('is code, and hears nothing of a setting that it can make itself', async (context) => {
    skipWithout(context, 'sandbox')
    const code = 'echo "note: run with RUST_BACKTRACE=1; SHOP_DATABASE is not set"; exit 1'
    const { RUST_BACKTRACE: before } = process.env
    process.env['RUST_BACKTRACE'] = '1'
    onTestFinished(() => {
      if (before === undefined) delete process.env['RUST_BACKTRACE']
      else process.env['RUST_BACKTRACE'] = before
    })
    expect(await adviceFor(project(''), 'exec', { lang: 'bash', code })).toContain(
      'Not passed from the environment: SHOP_DATABASE. ',
    )
  })

  it('is told which variables files of the project read, if its output names none', async (context) => {
    skipWithout(context, 'sandbox')
    const root = project('test -n "$SHOP_DATABASE" || exit 3')
    expect(await adviceFor(root, 'run', start)).toContain('Not passed from the environment: SHOP_DATABASE.')
  })

  it
    .skipIf(lacks('sandbox'))
    .each([
      'process.env.SHOP_DATABASE',
      'process.env["SHOP_DATABASE"]',
      "os.environ['SHOP_DATABASE']",
      "os.environ.get('SHOP_DATABASE')",
      'os.getenv("SHOP_DATABASE")',
      "ENV.fetch('SHOP_DATABASE')",
      'System.getenv("SHOP_DATABASE")',
      'env::var("SHOP_DATABASE")',
      'env!("SHOP_DATABASE")',
      'url: ${SHOP_DATABASE:-none}',
    ])('is told so for %s', async (code) => {
    const root = project('exit 3')
    fs.writeFileSync(path.join(root, 'code'), code)
    expect(await adviceFor(root, 'run', start)).toContain('SHOP_DATABASE')
  })

  it('is told nothing of a variable whose name is only a word in a file', async (context) => {
    skipWithout(context, 'sandbox')
    const root = project('exit 3')
    fs.writeFileSync(path.join(root, 'README.md'), 'SHOP_DATABASE and "SHOP_UNUSED" are words. env: SHOP_UNUSED_2\n')
    expect(await adviceFor(root, 'run', start)).not.toContain('SHOP_')
  })

  it('is told nothing of variables that nothing names', async (context) => {
    skipWithout(context, 'sandbox')
    expect(await adviceFor(project('exit 3'), 'run', start)).not.toContain('SHOP_')
  })

  it('is told nothing of variables that it was passed', async (context) => {
    skipWithout(context, 'sandbox')
    const root = project('echo "SHOP_DATABASE does not answer"; exit 1')
    expect(await adviceFor(root, 'run', start, { commandEnv: ['SHOP_DATABASE'] })).not.toContain('SHOP_')
  })

  it('is told that code is passed none', async (context) => {
    skipWithout(context, 'sandbox')
    const code = { lang: 'bash', code: 'echo "SHOP_DATABASE is not set"; exit 1' }
    const said = await adviceFor(project(''), 'exec', code)
    expect(said).toMatch(/SHOP_DATABASE/)
    expect(said).not.toContain('clada approve --env')
  })
})

/** What every user of the machine can read of the processes that run. */
const listOfProcesses = (): string =>
  fs
    .readdirSync('/proc')
    .flatMap((pid) => {
      try {
        return /^\d+$/.test(pid) ? [fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : []
      } catch {
        return []
      }
    })
    .join('\n')

describe('a variable that a command is given', () => {
  it('is in no list of processes', async (context) => {
    skipWithout(context, 'sandbox')
    const root = project('echo "got $SHOP_DATABASE"; exec sleep 60')
    const stop = new AbortController()
    let listed: string | undefined
    const clada = new Clada({
      repoPath: root,
      gitCommit: false,
      approve: ['sh start.sh'],
      commandEnv: ['SHOP_DATABASE'],
    })
    const onOutput = (_: string, chunk: Buffer): void => {
      if (!String(chunk).includes('got postgres://u:p@h/shop')) return
      listed ??= listOfProcesses()
      stop.abort()
    }
    await clada.call('run', start, { signal: stop.signal, onOutput })
    expect(listed).toContain('start.sh')
    expect(listed).not.toContain('postgres://u:p@h/shop')
  })
})
