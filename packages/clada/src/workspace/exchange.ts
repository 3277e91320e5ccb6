import fs from 'node:fs'
import { platform } from '../core/platform.ts'
import { type Started, startProgram } from '../process/programs.ts'

/**
 * Exchanges two names in one step, so that the file that was at the second is at hand under the first. The kernel has a
 * call for that, but Node has none; perl, which nearly every Linux has, can make any call. One perl serves a process: it
 * is started with the first replacement, answers within a tenth of a millisecond, and ends when it is no longer needed.
 * Answers:
 *
 * - `taken`: the expected file is at the first name now, and no process has it open for writing
 * - `unsure`: the same, but this file system cannot tell whether a process has it open
 * - `open`: a process has it open for writing; `unless open` leaves the names as they were
 * - `changed`: another file was there; the names are as they were
 * - `unable`: nothing was done, or it is unknown what: the caller has to look
 */
export type Exchange = 'taken' | 'unsure' | 'open' | 'changed' | 'unable'

export interface ExchangeRequest {
  readonly one: string
  readonly other: string
  /** The file that is at the second name. */
  readonly expected: Pick<fs.Stats, 'dev' | 'ino'>
  readonly when: 'unless open' | 'also open'
}

/**
 * Begins several exchanges, in this order, for the price of little more than one. They are made while other work is done
 * here; the answers are waited for once they are asked for.
 */
export function beginExchanges(requests: readonly ExchangeRequest[]): () => Exchange[] {
  const call = calls[process.arch]
  if (running === undefined || call === undefined || requests.length === 0) return () => requests.map(() => 'unable')
  const lines = requests.map(({ one, other, expected: { dev, ino }, when }) => {
    const names = [one, other].map(seenByOthers)
    // A name that cannot be written on a line gets no answer.
    if (names.some((name) => /[\0\n]/.test(name))) return ''
    return [call, ...names, dev, ino, when === 'also open' ? 1 : 0].join('\0')
  })
  const waiting = running.ask(lines)
  return () => {
    const said = waiting()
    return requests.map((_, at) => answers.find((one) => one === said[at]) ?? 'unable')
  }
}

export const exchange = (
  one: string,
  other: string,
  expected: ExchangeRequest['expected'],
  when: ExchangeRequest['when'],
): Exchange => beginExchanges([{ one, other, expected, when }])()[0] ?? 'unable'

/** Makes exchanges possible, where they are. Resolved when that is known, undefined where it is. */
export function startExchanging(): Promise<void> | undefined {
  if (platform.name !== 'linux' || calls[process.arch] === undefined || running !== undefined) return undefined
  return (starting ??= start()
    .catch(() => undefined)
    .then((helper) => {
      running = helper
      if (helper !== undefined) starting = undefined
    }))
}

const answers: readonly Exchange[] = ['taken', 'unsure', 'open', 'changed']

let starting: Promise<void> | undefined
let running: Helper | undefined

/** renameat2, by the number it has. */
const calls: Partial<Record<NodeJS.Architecture, number>> = { x64: 316, arm64: 276 }

/**
 * It prints the descriptors of two pipes that it made, and reads requests from one and answers into the other. -100 is
 * the working directory, 2 an exchange. A lease to read is granted only while no process has a file open for writing: 1024
 * sets it, 11 is the refusal. It ends where it takes too long, which ends the wait for its answer.
 */
const script = `
$SIG{$_} = 'IGNORE' for qw(IO INT HUP TERM PIPE);
alarm 10;
pipe(my $requests, my $far) and pipe(my $near, my $answers) or exit 1;
syswrite STDOUT, fileno($far) . ' ' . fileno($near) . "\\n";
<$requests>;
alarm 0;
close $far;
close $near;
close STDOUT;
sub is { my ($name, $dev, $ino) = @_; my @now = lstat $name; return @now && $now[0] == $dev && $now[1] == $ino }
sub state {
  open(my $file, '<', $_[0]) or return 'unsure';
  return 'taken' if fcntl($file, 1024, 0);
  return $! == 11 ? 'open' : 'unsure';
}
sub answer {
  my ($call, $one, $other, $dev, $ino, $also) = @_;
  my $swap = sub { syscall($call + 0, -100, $one, -100, $other, 2) == 0 };
  my @own = lstat $one;
  return 'unable' unless @own && $swap->();
  my $state = is($one, $dev, $ino) ? state($one) : 'changed';
  return $state unless $state eq 'changed' || ($state eq 'open' && !$also);
  $swap->();
  # Another process put yet another file in place: the newer one stays there.
  $swap->() unless is($one, @own[0, 1]);
  return $state;
}
while (my $count = <$requests>) {
  alarm 5;
  my $said = '';
  for (1 .. $count) {
    my $request = <$requests>;
    chomp $request;
    $said .= ($request eq '' ? 'unable' : answer(split /\\0/, $request)) . ' ';
  }
  syswrite $answers, "$said\\n";
  alarm 0;
}
`

/** A descriptor of ours has another path for other processes. */
const seenByOthers = (safePath: string): string => safePath.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)

async function start(): Promise<Helper | undefined> {
  const child = startProgram('perl', ['-e', script], { env: {}, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] })
  // Neither it nor its output keeps this process from ending, and the project's disk can be unmounted.
  child.unref()
  const { stdout } = child
  const said = new Promise<string>((done) => {
    stdout?.once('data', (bytes: Buffer) => done(bytes.toString()))
    child.once('error', () => done(''))
    child.once('exit', () => done(''))
  })
  const [, far, near] = /^(\d+) (\d+)\n$/.exec(await said) ?? []
  stdout?.destroy()
  try {
    return new Helper(child, `/proc/${child.pid}/fd/${far}`, `/proc/${child.pid}/fd/${near}`)
  } catch {
    child.kill('SIGKILL')
    return undefined
  }
}

class Helper {
  readonly #child: Started
  readonly #requests: number
  readonly #answers: number
  readonly #idle: NodeJS.Timeout
  #closed = false
  /** Reads the answers to the last requests, unless they were read. */
  #pending = (): string[] => []

  constructor(child: Started, requests: string, answers: string) {
    this.#child = child
    this.#requests = fs.openSync(requests, 'w')
    this.#answers = fs.openSync(answers, 'r')
    fs.writeSync(this.#requests, '\n')
    this.#idle = setTimeout(() => this.#close(), idleMs).unref()
    child.once('exit', () => this.#close())
  }

  /** The answers are waited for when they are asked for, or before the next requests. */
  ask(requests: readonly string[]): () => string[] {
    this.#pending()
    this.#idle.refresh()
    let said: string[] | undefined
    const tried = (work: () => string[] | undefined): void => {
      try {
        said = work()
      } catch {
        // It may be at it still, and must not do it later.
        said = []
        this.#child.kill('SIGKILL')
        this.#close()
      }
    }
    tried(() => {
      // Its descriptors may be those of other files by now.
      if (this.#closed) return []
      fs.writeSync(this.#requests, [requests.length, ...requests, ''].join('\n'))
      return undefined
    })
    return (this.#pending = () => {
      if (said === undefined) tried(() => this.#answer().trim().split(' '))
      return said ?? []
    })
  }

  #answer(): string {
    const bytes = Buffer.alloc(1024)
    for (let said = ''; ;) {
      const length = fs.readSync(this.#answers, bytes)
      if (length === 0) throw new Error('no answer')
      said += bytes.toString('latin1', 0, length)
      if (said.endsWith('\n')) return said
    }
  }

  #close(): void {
    this.#pending()
    if (this.#closed) return
    this.#closed = true
    if (running === this) running = undefined
    clearTimeout(this.#idle)
    fs.closeSync(this.#requests)
    fs.closeSync(this.#answers)
  }
}

const idleMs = 10_000
