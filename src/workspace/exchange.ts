import type fs from 'node:fs'
import { runToEnd } from '../process/start-program.ts'

/**
 * Lets two names change places in one step, so that whatever was at the second is at hand under the first; when that is
 * not the file that was expected there, they change back at once. The kernel can do that, but Node has no call for it;
 * perl, which nearly every Linux has, can make any call. It takes milliseconds, so it is for files that somebody else
 * is known to write to as well.
 *
 * Whoever gets no clear answer has to look which file is where.
 */
export function exchange(
  one: string,
  other: string,
  expected: Pick<fs.Stats, 'dev' | 'ino'>,
): 'taken' | 'changed' | 'unable' {
  const call = calls[process.arch]
  if (process.platform !== 'linux' || call === undefined) return 'unable'
  const args = [call, seenByOthers(one), seenByOthers(other), expected.dev, expected.ino].map(String)
  const status = runToEnd('perl', ['-e', script, ...args], 5000)
  return status === 0 ? 'taken' : status === 2 ? 'changed' : 'unable'
}

/** renameat2, by the number it has. */
const calls: Partial<Record<NodeJS.Architecture, number>> = { x64: 316, arm64: 276 }

/** -100 stands for the working directory, 2 for an exchange. */
const script = `
my ($call, $one, $other, $dev, $ino) = @ARGV;
sub swap { return syscall($call + 0, -100, $one, -100, $other, 2) == 0 }
exit 1 unless swap();
my @was = lstat($one);
exit 0 if @was && $was[0] == $dev && $was[1] == $ino;
swap();
exit 2;
`

/** A descriptor of ours has another path for other processes. */
const seenByOthers = (door: string): string => door.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
