import { describe, expect, it } from 'vitest'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { cmdStart, startOf } from '../../packages/clada/src/process/run-process.ts'
import { candidates } from '../../packages/clada/src/process/programs.ts'

const line = (file: string, ...args: string[]): string => {
  const start = startOf(file, args)
  if ('reason' in start) return 'refused'
  expect(start.verbatim).toBe(true)
  expect(start.args.slice(0, -1)).toEqual(['/d', '/e:on', '/v:off', '/s', '/c'])
  return start.args.at(-1) ?? ''
}

it('a line for cmd is given to it as it is, and nothing else is', () => {
  const { file, args } = cmdStart('echo "a b" & ver')
  expect(args.at(-1)).toBe('"echo "a b" & ver"')
  expect(startOf(file, args)).toEqual({ file, args, verbatim: true })
  expect(startOf(file, ['/c', 'echo "a b"'])).toMatchObject({ verbatim: false })
  expect(startOf('C:\\x\\cmd.exe', args)).toMatchObject({ verbatim: false })
})

describe('a batch file', () => {
  it.each([
    ['a b', '"a b"'],
    ['a&calc', '"a&calc"'],
    ['a|calc', '"a|calc"'],
    ['a^&calc', '"a^&calc"'],
    ['a>b', '"a>b"'],
    ['a<b', '"a<b"'],
    ['(a)', '"(a)"'],
    ['!PATH!', '"!PATH!"'],
    ['^', '"^"'],
    ['a\\', '"a\\\\"'],
    ['a\\b', '"a\\b"'],
    ['', '""'],
    ['-n', '"-n"'],
    ['@a', '"@a"'],
    ['a;b,c=d', '"a;b,c=d"'],
  ])('gets %j as one word', (arg, quoted) => {
    expect(line('C:\\t\\npm.cmd', arg)).toBe(`""C:\\t\\npm.cmd" ${quoted}"`)
  })

  it.each([
    '"',
    '"&calc',
    '"&calc&"',
    'a" & calc & "',
    '\\"&calc',
    '^"&calc',
    '%PATH%',
    '%CMDCMDLINE:~-1%&calc',
    '%',
    '%%',
    '100%',
    'a%b',
    '%=ExitCode%',
    'a\ncalc',
    'a\r\ncalc',
    'a\rcalc',
    'a\0b',
  ])('never gets %j', (arg) => {
    expect(line('C:\\t\\npm.cmd', arg)).toBe('refused')
    expect(line('C:\\t\\npm.cmd', 'test', '--', arg)).toBe('refused')
    expect(line('C:\\t\\npm.BAT', arg)).toBe('refused')
  })

  it.each(['C:\\a%b\\x.cmd', 'C:\\a"b\\x.cmd', 'C:\\x.cmd\n.bat'])('is not started at %j', (file) => {
    expect(line(file, 'a')).toBe('refused')
  })

  it.each(['x.cmd ', 'x.cmd.', 'x.bat. .', 'X.CMD', 'x.Bat'])('is known as one at %j', (file) => {
    expect(startOf(`C:\\${file}`, ['a'])).toMatchObject({ verbatim: true })
  })

  it.each(['x.exe', 'x.com', 'x', 'x.cmd.exe'])('is not %j, which Node quotes itself', (file) => {
    const args = ['"&calc', '%PATH%']
    expect(startOf(`C:\\${file}`, args)).toEqual({ file: `C:\\${file}`, args, verbatim: false })
  })
})

describe('programs of Windows', () => {
  const dirs = ['C:\\tools', '.', '', 'tools', '\\tools', 'C:tools', '\\\\server\\share']
  it('are found by PATHEXT in absolute directories only', () => {
    const found = candidates('git', dirs, platformOf('win32'), '.COM;.EXE;.BAT;.CMD;.JS')
    expect(found).toEqual([
      'C:\\tools\\git.com',
      'C:\\tools\\git.exe',
      '\\\\server\\share\\git.com',
      '\\\\server\\share\\git.exe',
    ])
    expect(candidates('npm', ['C:\\t'], platformOf('win32'), '.EXE;.CMD;.VBS', 'batch')).toEqual([
      'C:\\t\\npm.exe',
      'C:\\t\\npm.cmd',
    ])
    expect(candidates('npm.cmd', ['C:\\t'], platformOf('win32'), '.EXE;.CMD', 'batch')).toEqual(['C:\\t\\npm.cmd'])
    expect(candidates('..\\git', ['C:\\t'], platformOf('win32'))).toEqual([])
    expect(candidates('C:git', ['C:\\t'], platformOf('win32'))).toEqual([])
  })

  it('come from the system that SystemRoot names, if it is absolute', () => {
    expect(platformOf('win32', { SystemRoot: 'D:\\Win' }).systemPath[0]).toBe('D:\\Win\\System32')
    expect(platformOf('win32', { SystemRoot: '.\\Win', windir: 'evil' }).systemPath[0]).toBe('C:\\Windows\\System32')
  })

  it('find the configuration of the user where git finds it', () => {
    const home = (env: NodeJS.ProcessEnv): string | undefined => platformOf('win32', env).home()
    expect(home({ USERPROFILE: 'C:\\Users\\u' })).toBe('C:\\Users\\u')
    expect(home({ USERPROFILE: 'C:\\Users\\u', HOMEDRIVE: 'H:', HOMEPATH: '\\' })).toBe('H:\\')
    expect(home({ HOME: '/c/Users/u', USERPROFILE: 'C:\\Users\\u' })).toBe('/c/Users/u')
  })
})
