import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { append, ownIn, sectionIn, traceOf, until } from './world.ts'

/** Where a perl is that is killed at one moment of the first exchange of two names. The next one is the real one. */
function perlThatDies(moment: 'before' | 'after' | 'back'): string {
  const bin = scratchDir()
  const edits = {
    before: "s/return 'unable' unless @own/kill 9, $$; &/",
    after: 's/my .state = is/kill 9, $$; &/',
    // It was exchanged back, and nobody was told.
    back: 's/my .state = is/$swap->(); kill 9, $$; &/',
  }
  fs.writeFileSync(path.join(bin, 'edit'), edits[moment])
  const script = `#!/bin/sh
if [ -e '${bin}/died' ]; then exec /usr/bin/perl "$@"; fi
printf '%s' "$2" | /usr/bin/sed -f '${bin}/edit' > '${bin}/died'
exec /usr/bin/perl '${bin}/died'
`
  fs.writeFileSync(path.join(bin, 'perl'), script, { mode: 0o755 })
  return bin
}

describe.skipIf(process.platform !== 'linux' || !fs.existsSync('/usr/bin/perl'))(
  'results, when the helper dies',
  () => {
    it.each(['before', 'after', 'back'] as const)(
      'are in the file, and the text too: %s the exchange',
      async (moment) => {
        const [dir, state, bin] = [scratchDir(), scratchDir(), perlThatDies(moment)]
        const file = path.join(dir, 'reply.md')
        fs.writeFileSync(file, `Hello\n${append(dir, 'one')}`)
        const child = spawn(process.execPath, [inject('cli'), 'watch', 'reply.md', '--no-git'], {
          cwd: dir,
          env: { PATH: `${bin}:${process.env['PATH']}`, HOME: state, XDG_STATE_HOME: state, CLADA_NO_CACHE: '1' },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        onTestFinished(() => void child.kill('SIGKILL'))
        child.stdout.resume()
        await until(() => fs.existsSync(path.join(bin, 'died')))
        child.kill('SIGTERM')
        await once(child, 'exit')
        expect(fs.readFileSync(path.join(bin, 'died'), 'utf8')).toContain('kill 9')
        expect(traceOf(dir)).toEqual(['one'])
        expect(sectionIn(file)).toContain('one ✅ file_append')
        expect(ownIn(file)).toBe(`Hello\n${append(dir, 'one')}`)
        expect(fs.readdirSync(dir).filter((name) => name.endsWith('.tmp'))).toEqual([])
      },
    )
  },
)
