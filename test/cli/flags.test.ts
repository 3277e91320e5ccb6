import { describe, expect, it } from 'vitest'
import { checkArgs } from '../../packages/clada/src/cli/command.ts'
import { allCommands } from '../../packages/clada/src/cli/commands/list.ts'
import { flags, type FlagValues } from '../../packages/clada/src/cli/flags.ts'
import { called as clada } from '../support/in-process.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { atTerminal, noTerminal } from '../support/terminal.ts'

const commands = await allCommands()

function ownFlags(name: string, given: FlagValues): FlagValues {
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new Error(`there is no ${name}`)
  return checkArgs(command, { flags: given, words: [] }).flags
}

const said = (name: string, value = ''): FlagValues => ({ [name]: [value] })

describe('a flag', () => {
  it('that a command does not have is refused before anything is done', async () => {
    const cwd = scratchDir({ 'a.txt': 'a\n' })
    expect(await clada(['do', 'file_delete', 'path=a.txt', '--dry-run'], { cwd })).toEqual({
      status: 2,
      stdout: '',
      stderr: 'clada: do has no flag --dry-run. Its flags: clada help do\n',
    })
    expect(filesIn(cwd)).toEqual({ 'a.txt': 'a\n' })
    expect((await clada(['do', 'file_delete', 'path=a.txt', '--no-git'], { cwd })).status).toBe(0)
    expect((await clada(['undo', '--dry-run'], { cwd })).status).toBe(2)
    expect(Object.keys(filesIn(cwd)).filter((name) => !name.startsWith('.clada'))).toEqual([])
    expect((await clada(['--files'], { cwd })).stderr).toBe(
      'clada: run has no flag --files. Its flags: clada help run\n',
    )
    expect(await clada(['watch', '--json'], { cwd })).toMatchObject({ status: 2, stdout: '' })
    expect((await clada(['undo', '--dry-run', '--help'], { cwd })).status).toBe(0)
  })

  it.each(commands)(
    'of clada $name is known to it, and no other that would do nothing',
    async ({ name, flags: own }) => {
      for (const flag of own) expect(ownFlags(name, said(flag)), `${name} --${flag}`).toEqual(said(flag))
      const only = ['dry-run', 'copy', 'force', 'stdin', 'port', 'clipboard', 'numbered', 'network', 'messages', 'to']
      for (const flag of only.filter((one) => !own.some((known) => known === one))) {
        expect(() => ownFlags(name, said(flag)), `${name} --${flag}`).toThrow(`${name} has no flag --${flag}.`)
      }
    },
  )

  it('keeps nobody from help', async () => {
    const cwd = scratchDir()
    expect(await clada(['help', 'watch', '--json'], { cwd })).toEqual(await clada(['help', 'watch'], { cwd }))
    expect(await clada(['watch', '--json', '--help'], { cwd })).toEqual(await clada(['help', 'watch'], { cwd }))
    expect((await clada(['--no-git', '--version'], { cwd })).status).toBe(0)
    if (!noTerminal)
      expect(atTerminal(['--no-git'], '', { cwd, env: {} }).output).toContain('Applies the edits and commands')
  })

  it('is in the help of some command, or is a command itself', async () => {
    const helped = new Set(commands.flatMap(({ flags: own }) => own))
    expect(flags.map(({ name }) => name).filter((name) => !helped.has(name))).toEqual(['version'])
  })

  it('about how documents are carried out may stand wherever there is a document', async () => {
    expect(ownFlags('check', said('no-git'))).toEqual(said('no-git'))
    expect(ownFlags('convert', said('error-detail', 'full'))).toEqual(said('error-detail', 'full'))
    expect(() => ownFlags('history', said('total-timeout', '3'))).toThrow('history has no flag --total-timeout.')
  })

  it('says the same as --json by --format json', async () => {
    const cwd = scratchDir()
    const input = '<write path="a.txt"><![CDATA[x]]></write>\n'
    const json = (await clada(['check', '--json'], { cwd, input })).stdout
    expect(json).toContain('"action": "file_write"')
    expect((await clada(['check', '--format', 'json'], { cwd, input })).stdout).toBe(json)
    expect(await clada(['check', '--format', 'text'], { cwd, input })).toEqual(await clada(['check'], { cwd, input }))
    expect(await clada(['check', '--format', 'xml'], { cwd, input })).toMatchObject({
      status: 2,
      stderr: 'clada: check has no flag --format xml. Its flags: clada help check\n',
    })
  })
})
