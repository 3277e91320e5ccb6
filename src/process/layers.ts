import { hostFacts } from './bubblewrap.ts'
import { type GroupLimits, groupLimitsHere } from './control-group.ts'
import { canLayer } from './overlay.ts'

/** One of the things that contain a program, each by itself. */
export interface Layer {
  readonly name: string
  /** What it does here; undefined when this machine has none. */
  readonly active: string | undefined
  /** How to get it. */
  readonly advice: string
}

/** The layers of bubblewrap's sandbox on this machine. It comes up with all of them or not at all, but for the overlay. */
export async function layersOf(bwrap: string, root: string): Promise<readonly Layer[]> {
  const { filter, options, prlimit } = hostFacts(bwrap)
  const together = groupLimitsHere()
  const limited = (limit: keyof GroupLimits): string | undefined =>
    together.has(limit)
      ? 'for the whole tree, by a control group'
      : prlimit === undefined
        ? undefined
        : limit === 'tasks'
          ? 'for all processes of the user, by prlimit'
          : 'for each process by itself, by prlimit'
  const getPrlimit = 'Install util-linux (prlimit) for limits on memory and processes.'
  return [
    {
      name: 'seccomp',
      active: filter === undefined ? undefined : 'system calls are filtered',
      advice: 'It needs a kernel with seccomp on x86_64 or aarch64.',
    },
    {
      name: 'userns',
      active: options.disableUserns
        ? 'no further user namespaces'
        : filter === undefined
          ? undefined
          : 'no further user namespaces, by the filter of system calls',
      advice: 'Install bubblewrap 0.8 or newer to block user namespaces inside.',
    },
    {
      name: 'tmpfs',
      active: options.size ? 'temporary directories have a size' : undefined,
      advice: 'Install bubblewrap 0.7 or newer to limit what temporary directories take.',
    },
    { name: 'memory', active: limited('memoryBytes'), advice: getPrlimit },
    { name: 'processes', active: limited('tasks'), advice: getPrlimit },
    {
      name: 'overlay',
      active: (await canLayer(root)) ? 'programs work on a layer over the project' : undefined,
      advice: 'Files are compared before and after instead. It needs Linux 5.11 or newer, unshare and mount.',
    },
  ]
}
