import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bareEnvironment } from '../../packages/clada/src/process/environment.ts'
import { findProgram } from '../../packages/clada/src/process/programs.ts'
import { type ProcessEnd, runProcess } from '../../packages/clada/src/process/run-process.ts'
import { runtimesIn } from '../../packages/clada/src/process/runtimes.ts'
import { chooseSandbox } from '../../packages/clada/src/process/sandbox.ts'
import { filterActions, calls, errno, refusedCalls, seccompFilter } from '../../packages/clada/src/process/seccomp.ts'

interface Call {
  readonly arch: number
  readonly number: number
  readonly args?: readonly bigint[]
}

/** What the kernel would do with a filter: the few instructions of classic BPF that one may be made of. */
function judge(program: Buffer, { arch, number, args = [] }: Call): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(arch, 4)
  args.forEach((value, index) => data.writeBigUInt64LE(value, 16 + 8 * index))
  let loaded = 0
  for (let at = 0; ; at++) {
    const [code, then, not] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
    ]
    const value = program.readUInt32LE(at * 8 + 4)
    const jump = (does: boolean): number => (does ? then : not)
    if (code === 0x06) return value
    else if (code === 0x20) loaded = data.readUInt32LE(value)
    else if (code === 0x05) at += value
    else if (code === 0x15) at += jump(loaded === value)
    else if (code === 0x35) at += jump(loaded >= value)
    else if (code === 0x45) at += jump((loaded & value) !== 0)
    else throw new Error(`instruction ${at} has the code ${code}`)
  }
}

const machines = [
  {
    name: 'x64',
    arch: 0xc000003e,
    column: 0,
    everyday: {
      read: 0,
      openat: 257,
      execve: 59,
      prlimit64: 302,
      exit_group: 231,
      seccomp: 317,
      mmap: 9,
      futex: 202,
      wait4: 61,
      prctl: 157,
      kill: 62,
      chroot: 161,
    },
  },
  {
    name: 'arm64',
    arch: 0xc00000b7,
    column: 1,
    everyday: {
      read: 63,
      openat: 56,
      execve: 221,
      prlimit64: 261,
      exit_group: 94,
      seccomp: 277,
      mmap: 222,
      futex: 98,
      wait4: 260,
      prctl: 167,
      kill: 129,
      chroot: 51,
    },
  },
] as const

const [no, unknown] = [0x0005_0001, 0x0005_0026]

it.each([
  ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', 0],
  ['/usr/include/asm-generic/unistd.h', 1],
] as const)('the numbers are those of %s, where that is installed', (header, column) => {
  const text = fs.existsSync(header) ? fs.readFileSync(header, 'utf8') : ''
  const numbers = new Map(
    [...text.matchAll(/^#define __NR_(\w+) (\d+)$/gm)].map(([, name, number]) => [name, Number(number)]),
  )
  const unlike = Object.entries({ ...refusedCalls, ...calls }).filter(
    ([name, pair]) => pair[column] >= 0 && numbers.has(name) && numbers.get(name) !== pair[column],
  )
  expect(unlike).toEqual([])
})

for (const { name, arch, column, everyday } of machines) {
  describe(`the filter for ${name}`, () => {
    const program = seccompFilter(name) ?? Buffer.alloc(0)
    const of = (number: number, ...args: bigint[]): number => judge(program, { arch, number, args })

    it('refuses every call of its list', () => {
      const numbers = Object.entries(refusedCalls).flatMap(([call, pair]) =>
        pair[column] < 0 ? [] : [[call, pair[column]] as const],
      )
      expect(numbers.length).toBeGreaterThan(40)
      expect(numbers.filter(([, number]) => of(number) !== no)).toEqual([])
    })

    it('allows everyday calls, and whatever number it does not know', () => {
      for (const [call, number] of Object.entries(everyday))
        expect([call, of(number)]).toEqual([call, filterActions.allow])
      expect(of(9999)).toBe(filterActions.allow)
    })

    it('allows threads and processes, and no namespace', () => {
      const [clone, unshare] = [calls.clone[column], calls.unshare[column]]
      expect(of(clone, 17n)).toBe(filterActions.allow)
      expect(of(clone, 0x3d0f00n)).toBe(filterActions.allow)
      expect(of(unshare, 0x400n)).toBe(filterActions.allow)
      for (const flag of [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n]) {
        expect(of(clone, flag | 17n)).toBe(no)
        expect(of(unshare, flag)).toBe(no)
      }
      expect(of(calls.clone3[column])).toBe(unknown)
    })

    it('lets nobody type into a terminal', () => {
      const ioctl = calls.ioctl[column]
      expect(of(ioctl, 0n, 0x5401n)).toBe(filterActions.allow)
      for (const request of [0x5412n, 0x541cn]) {
        expect(of(ioctl, 0n, request)).toBe(no)
        // The kernel looks at the lower half only.
        expect(of(ioctl, 0n, request | (7n << 32n))).toBe(no)
      }
    })

    it('knows the families of sockets that a namespace contains', () => {
      const socket = calls.socket[column]
      for (const family of [1n, 2n, 10n, 16n]) expect(of(socket, family)).toBe(filterActions.allow)
      for (const family of [17n, 38n, 40n]) expect(of(socket, family)).toBe(filterActions.errno + errno.EAFNOSUPPORT)
    })

    it('ends programs of another machine', () => {
      expect(judge(program, { arch: 0x40000003, number: everyday.read })).toBe(filterActions.kill)
    })
  })
}

it('refuses the second set of numbers that x64 has', () => {
  const program = seccompFilter('x64') ?? Buffer.alloc(0)
  for (const number of [0, 250, 521])
    expect(judge(program, { arch: 0xc000003e, number: 0x40000000 + number })).toBe(unknown)
  const other = seccompFilter('arm64') ?? Buffer.alloc(0)
  expect(judge(other, { arch: 0xc00000b7, number: 0x40000000 })).toBe(filterActions.allow)
})

it('has none for machines whose numbers it does not know', () => {
  expect(seccompFilter('riscv64')).toBeUndefined()
})

const choice = chooseSandbox()
const column = machines.find(({ name }) => name === process.arch)?.column

describe.skipIf(!choice.ok || process.platform !== 'linux' || column === undefined)('in the sandbox', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-seccomp-'))
  afterAll(() => fs.rmSync(dir, { recursive: true, force: true }))

  const run = (file: string, ...args: string[]): Promise<ProcessEnd> => {
    if (!choice.ok) throw new Error(choice.reason)
    const none = { hidden: [], caches: [], fixed: [], blocked: [], absent: [] }
    const limits = { memoryBytes: 2 ** 32, fileBytes: 2 ** 30, processes: 4000 }
    const home = os.homedir()
    const env = {
      ...bareEnvironment,
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: home,
      GOCACHE: '/tmp/go',
      CARGO_HOME: '/tmp/cargo',
    }
    const bounds = { root: dir, home, readable: runtimesIn(home), ...none, network: false, limits }
    const wrapped = choice.sandbox.wrap({ file, args, cwd: dir, env }, bounds)
    return runProcess({ ...wrapped, timeoutMs: 60_000, outputBytes: 100_000 })
  }

  const perl = findProgram('perl', ['/usr/bin'])
  // What each of them would say without a filter is another thing: EFAULT, EINVAL, ESRCH, or nothing at all.
  const attempts: Readonly<Record<string, readonly [number: number, args: string, errno: number]>> = {
    'the keyring': [refusedCalls.keyctl[column ?? 0], '0, -3, 0, 0, 0', errno.EPERM],
    'a ring of calls': [refusedCalls.io_uring_setup[column ?? 0], '8, 0', errno.EPERM],
    'a new user namespace': [calls.unshare[column ?? 0], '0x10000000', errno.EPERM],
    'to be traced': [refusedCalls.ptrace[column ?? 0], '0, 0, 0, 0', errno.EPERM],
    'the memory of nobody': [refusedCalls.process_vm_readv[column ?? 0], '99999, 0, 0, 0, 0, 0', errno.EPERM],
    'a mount that is not there': [refusedCalls.move_mount[column ?? 0], '-1, 0, -1, 0, 0', errno.EPERM],
    'a page fault of its own': [refusedCalls.userfaultfd[column ?? 0], '1', errno.EPERM],
    'the newer clone': [calls.clone3[column ?? 0], '0, 0', errno.ENOSYS],
    'a socket to the host of this machine': [calls.socket[column ?? 0], '40, 1, 0', errno.EAFNOSUPPORT],
    'a key pressed on the terminal': [calls.ioctl[column ?? 0], '0, 0x5412, 0', errno.EPERM],
  }
  for (const [what, [number, args, expected]] of Object.entries(attempts)) {
    it.skipIf(perl === undefined)(`refuses ${what}`, async () => {
      const { stdout, stderr } = await run(perl ?? '', '-e', `print syscall(${number}, ${args}), ' ', $! + 0`)
      expect({ stdout, stderr }).toEqual({ stdout: `-1 ${expected}`, stderr: '' })
    })
  }

  it('has nowhere to write but the project and what vanishes, which has a size', async () => {
    const { output } = await run(
      '/bin/sh',
      '-c',
      'for d in / /dev /etc /var /usr; do touch $d/x 2>/dev/null && echo $d; done; df -k --output=size /tmp /dev/shm /run /var/tmp | sort -u',
    )
    expect(output.trim().split(/\s+/)).toEqual(['2097152', '1K-blocks'])
  })

  beforeAll(() => {
    fs.writeFileSync(path.join(dir, 'a.c'), '#include <stdio.h>\nint main(void) { puts("made"); return 0; }\n')
    fs.writeFileSync(path.join(dir, 'a.go'), 'package main\nimport "fmt"\nfunc main() { fmt.Println("made") }\n')
    fs.writeFileSync(path.join(dir, 'a.rs'), 'fn main() { println!("made") }\n')
    fs.writeFileSync(path.join(dir, 'Makefile'), 'all:\n\t@echo made\n')
    fs.writeFileSync(path.join(dir, 'test_a.py'), 'def test_a():\n    assert True\n')
  })

  const everyday: Readonly<Record<string, string>> = {
    node: `node -e 'const {Worker}=require("worker_threads"); new Worker("require(\\"fs\\").promises.readFile(\\"a.c\\").then(()=>console.log(\\"made\\"))",{eval:true})'`,
    python3: `python3 -c 'import subprocess,threading,multiprocessing as m; m.Pool(2).map(abs,[1]); print(subprocess.run(["echo","made"],capture_output=True,text=True).stdout)'`,
    ruby: `ruby -e 'Thread.new { puts IO.popen("echo made").read }.join'`,
    bash: `bash -c 'cat <(echo made) | tee /dev/null'`,
    git: 'git init -q g && cd g && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m made && git log --format=%s',
    npm: 'npm --version >/dev/null && echo made',
    pytest: 'pytest -q -p no:cacheprovider && echo made',
    cargo: 'cargo --version && echo made',
    rustc: 'rustc a.rs -o a-rs && ./a-rs',
    go: 'go run a.go',
    make: 'make -j2',
    gcc: 'gcc a.c -o a-c && ./a-c',
    perl: `perl -e 'print \`echo made\`'`,
  }
  for (const [name, line] of Object.entries(everyday)) {
    const there = findProgram(name, (process.env['PATH'] ?? '').split(':')) !== undefined
    it.skipIf(!there)(`runs ${name}`, { timeout: 60_000 }, async () => {
      const end = await run('/bin/sh', '-c', line)
      expect(end).toMatchObject({ exitCode: 0 })
      expect(end.stdout).toContain('made')
    })
  }
})
