/**
 * A filter for system calls, as the classic BPF program that bubblewrap hands to the kernel. A program in the sandbox
 * has no use for these calls: most are refused there anyway, and what the kernel never gets to see cannot go wrong in it.
 *
 *   arch is another               kill
 *   x32 call                      ENOSYS
 *   call of the list              EPERM
 *   clone3                        ENOSYS: its flags are in memory, where no filter can look; libraries then use clone
 *   clone, unshare                EPERM when a namespace is asked for
 *   ioctl                         EPERM for the two requests that type into a terminal
 *   socket                        EAFNOSUPPORT for families that no network namespace contains
 *   anything else                 allowed
 */
export function seccompFilter(arch: NodeJS.Architecture): Buffer | undefined {
  const machine = machines[arch]
  if (machine === undefined) return undefined
  const { audit, column } = machine
  const number = (name: keyof typeof calls): number => calls[name][column]
  const lines: Instruction[] = [
    { load: offsets.arch },
    { if: 'equal', to: audit, else: 'kill' },
    { load: offsets.number },
    ...(arch === 'x64' ? [{ if: 'atLeast', to: x32, goto: 'unknown' } as const] : []),
    ...Object.values(refusedCalls)
      .flatMap((pair) => (pair[column] === none ? [] : pair[column]))
      .map((to) => ({ if: 'equal', to, goto: 'refuse' }) as const),
    { if: 'equal', to: number('clone3'), goto: 'unknown' },
    { if: 'equal', to: number('clone'), goto: 'namespaces' },
    { if: 'equal', to: number('unshare'), goto: 'namespaces' },
    { if: 'equal', to: number('ioctl'), goto: 'request' },
    { if: 'equal', to: number('socket'), goto: 'family', else: 'allow' },
    { label: 'namespaces', load: argument(0) },
    { if: 'anyOf', to: newNamespaces, goto: 'refuse', else: 'allow' },
    { label: 'request', load: argument(1) },
    ...typing.map((to) => ({ if: 'equal', to, goto: 'refuse' }) as const),
    { if: 'always', goto: 'allow' },
    { label: 'family', load: argument(0) },
    ...families.map((to) => ({ if: 'equal', to, goto: 'allow' }) as const),
    { return: filterActions.errno + errno.EAFNOSUPPORT },
    { label: 'refuse', return: filterActions.errno + errno.EPERM },
    { label: 'unknown', return: filterActions.errno + errno.ENOSYS },
    { label: 'kill', return: filterActions.kill },
    { label: 'allow', return: filterActions.allow },
  ]
  return assemble(lines)
}

const none = -1

/** How the kernel calls a machine, and the column of its numbers below. */
const machines: Partial<Record<NodeJS.Architecture, { readonly audit: number; readonly column: 0 | 1 }>> = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
}

type Numbers = readonly [x64: number, arm64: number]

/** Refused whatever their arguments are. */
export const refusedCalls = {
  // The keys of the user outside: a keyring is not part of any namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Calls that are made by the kernel for the program, past this filter.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // The memory and the descriptors of other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  // Everything that rearranges the tree of files.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  open_by_handle_at: [304, 265],
  setns: [308, 268],
  // Code and hooks inside the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  create_module: [174, none],
  init_module: [175, 105],
  delete_module: [176, 106],
  finit_module: [313, 273],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  // What belongs to the administrator of the machine.
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  iopl: [172, none],
  ioperm: [173, none],
  modify_ldt: [154, none],
  vhangup: [153, 58],
  lookup_dcookie: [212, 18],
} as const satisfies Readonly<Record<string, Numbers>>

/** Depend on their arguments. */
export const calls = {
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  ioctl: [16, 29],
  socket: [41, 198],
} as const satisfies Readonly<Record<string, Numbers>>

/** CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET. */
const newNamespaces = 0x7e020000
/** TIOCSTI and TIOCLINUX. */
const typing = [0x5412, 0x541c]
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, vsock above all, reach the host from any network namespace. */
const families = [1, 2, 10, 16]
const x32 = 0x40000000
export const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const
export const filterActions = { kill: 0x80000000, errno: 0x00050000, allow: 0x7fff0000 } as const

/** In what the kernel shows a filter: the call's number, the machine, and six arguments of 64 bits, low half first. */
const offsets = { number: 0, arch: 4 } as const
const argument = (index: number): number => 16 + 8 * index

type Label = 'namespaces' | 'request' | 'family' | 'refuse' | 'unknown' | 'kill' | 'allow'

/** One instruction. A jump goes to the next one where it names nothing else. */
type Instruction = { readonly label?: Label } & (
  | { readonly load: number }
  | { readonly return: number }
  | { readonly if: 'always'; readonly goto: Label }
  | {
      readonly if: 'equal' | 'atLeast' | 'anyOf'
      readonly to: number
      readonly goto?: Label
      readonly else?: Label
    }
)

const codes = { load: 0x20, return: 0x06, always: 0x05, equal: 0x15, atLeast: 0x35, anyOf: 0x45 } as const

/** Eight bytes each: code, the two distances of a jump, and a number. */
function assemble(lines: readonly Instruction[]): Buffer {
  const program = Buffer.alloc(lines.length * 8)
  lines.forEach((line, at) => {
    const distance = (label: Label | undefined): number =>
      label === undefined ? 0 : lines.findIndex((one) => one.label === label) - at - 1
    const put = (code: number, number: number, then = 0, not = 0): void => {
      program.writeUInt16LE(code, at * 8)
      program.writeUInt8(then, at * 8 + 2)
      program.writeUInt8(not, at * 8 + 3)
      program.writeUInt32LE(number, at * 8 + 4)
    }
    if ('load' in line) put(codes.load, line.load)
    else if ('return' in line) put(codes.return, line.return)
    else if (line.if === 'always') put(codes.always, distance(line.goto))
    else put(codes[line.if], line.to, distance(line.goto), distance(line.else))
  })
  return program
}
