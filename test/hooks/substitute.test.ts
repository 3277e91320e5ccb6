import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { environmentOf } from '../../packages/clada/src/hooks/run-hooks.ts'
import { needs } from '../support/needs.ts'
import { type Facts, substitute } from '../../packages/clada/src/hooks/substitute.ts'

/** Runs a command with facts in a real shell. */
function shell(command: string, facts: Facts, vars: Record<string, string> = {}): string {
  const made = substitute(command, vars, facts)
  if (!made.ok) return `refused: ${made.error}`
  return execFileSync('sh', ['-c', made.script, 'sh', ...(made.words ?? [])], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', ...environmentOf(facts) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

describe('references in hooks', () => {
  needs('bash')

  it('are replaced by variables and facts, and a fact wins', () => {
    expect(shell('echo ${A} ${n}', { n: '3' }, { A: 'x y', n: 'no' })).toBe('x y 3\n')
  })

  it('let variables be part of the command, facts never', () => {
    expect(shell('${SAY} hi', {}, { SAY: 'printf "%s-"' })).toBe('hi-')
    expect(shell('echo ${n}', { n: '$(echo run); echo run' })).toBe('$(echo run); echo run\n')
  })

  it('may stand in a variable', () => {
    expect(shell('${SAY}', { n: '3' }, { SAY: 'echo ${n}' })).toBe('3\n')
    expect(substitute('${A}', { A: '${B}' }, {})).toEqual({ ok: false, error: 'Variable not found: B' })
  })

  it('are left to the shell behind a backslash, or when they are more than a name', () => {
    expect(shell('x=1; echo \\${x} ${y:-none} $x', {})).toBe('1 none 1\n')
    expect(shell('A=1; n=2; echo \\${A} \\${n}', { n: 'fact' }, { A: 'variable' })).toBe('1 2\n')
  })

  it('must be known', () => {
    expect(substitute('echo ${NOPE} ${N2}', {}, {})).toEqual({
      ok: false,
      error: 'Variable not found: NOPE; Variable not found: N2',
    })
    expect(substitute('echo ${constructor}', {}, {})).toMatchObject({ ok: false })
  })

  it('hand a list over as words, or in quotes as one text', () => {
    const files = ['a b.txt', '[id].tsx', '$HOME']
    expect(shell('printf "<%s>" ${f}', { f: files })).toBe('<a b.txt><[id].tsx><$HOME>')
    expect(shell('echo "${f}" and \'${f}\'', { f: files })).toBe('a b.txt,[id].tsx,$HOME and a b.txt,[id].tsx,$HOME\n')
    expect(shell('cat <<EOF\nmade: ${f}\nEOF', { f: ['a', 'b'] })).toBe('made: a b\n')
  })

  it('refuse to feed strange characters to another interpreter', () => {
    for (const command of ['bash -c "echo ${f}"', "node -e 'x(`${f}`)'", 'eval echo ${f}', 'ssh host rm ${f}']) {
      expect(shell(command, { f: ['$(id)'] })).toContain(
        'refused: ${f} contains characters that this command would interpret as code',
      )
    }
    expect(shell('sh -c "echo ${f}"', { f: ['a.txt'] })).toBe('a.txt\n')
  })

  it.each([
    ['make -s echo FILES="${f}"', 'a$(shell touch PWN1)b'],
    ['make ${f}', 'a=$(shell touch PWN1)'],
    ['node -p \'"${f}"\'', '"+process.exit()+"'],
    ['node -p ${f}', 'process.exit()'],
    ['perl -E "say q(${f})"', ');system(q(id));q('],
    ['perl -ne print ${f}', 'touch PWN |'],
    ['awk "BEGIN{print \\"${f}\\"}"', '";system("id");"'],
    ['sed "s|x|${f}|"', 'y|e;s|x|id'],
    ['sed s/x/${f}/', 'y/e;s/x/id'],
    ['NAME=${f} ./tool', '$(id)'],
    ['tool --files=${f}', '$(id)'],
    ['x=$(tool ${f})', '$(id)'],
    ['echo "$(tool ${f})"', '$(id)'],
    ['echo `tool ${f}`', '$(id)'],
    ['echo $((${f}))', 'a[$(id)]'],
    ['echo x # it\'s\nawk "BEGIN{print \\"${f}\\"}"', '";system("id");"'],
    ["# it's\nNAME=${f} tool", '$(id)'],
    ['sh <<EOF\necho ${f}\nEOF', '$(id)'],
    ['echo ${f} | sh', '$(id)'],
    ['echo "${f}" | /bin/bash -s', '$(id)'],
    ['python3 -c "print(\'${f}\')"', "');import os;('"],
  ])('refuse %s with a name that is not plain, and do it with one that is', (command, name) => {
    const refused = substitute(command, {}, { f: ['plain.txt', name] })
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('$CLADA_F') })
    expect(refused).toMatchObject({ error: expect.stringContaining(name) })
    expect(substitute(command, {}, { f: ['plain.txt', 'a-b/c_1.ts'] })).toMatchObject({ ok: true })
  })

  it.each([
    ['$'.repeat(100), '$'.repeat(100)],
    [`a${'$'.repeat(100)}`, `a${'$'.repeat(99)}…`],
  ])('show at most 100 characters of such a name', (name, shown) => {
    expect(substitute('eval ${f}', {}, { f: [name] })).toMatchObject({
      error: expect.stringContaining(`as code: ${shown}. Use`),
    })
  })

  it.each([
    [100_000, 'f'.repeat(100_000)],
    [100_001, ''],
  ])('fit the environment with %i bytes of one name, or leave it out', (bytes, expected) => {
    expect(environmentOf({ f: ['f'.repeat(bytes)] })).toEqual({ CLADA_F: expected, CLADA_F_LINE: expected })
  })

  it.each([
    'prettier --write ${f}',
    'mkdir -p out && cp ${f} out',
    'sed -i s/a/b/ ${f}',
    'node format.js ${f}; true',
    'for one in ${f}; do fmt "$one"; done',
    'notify "${f}"',
    'if true; then echo "changed: ${f}"; fi',
  ])('do %s with any name', (command) => {
    expect(substitute(command, {}, { f: ['[id].tsx', 'a b.txt', '$(id)'] })).toMatchObject({ ok: true })
  })
})

describe('no fact is ever a command', () => {
  const evil = fc.oneof(
    fc.constantFrom(
      '$(echo PWNED)',
      '`echo PWNED`',
      '; echo PWNED',
      "'; echo PWNED; '",
      '"; echo PWNED; "',
      '\n echo PWNED',
    ),
    fc.string({
      unit: fc.constantFrom("'", '"', '\\', '$', '`', '(', ')', ';', '\n', 'echo PWNED', ' ', '&', '|', '}'),
    }),
  )
  const around = fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', 'x', '<<E\n', '#', '\n') })

  it('whatever it holds and wherever it stands', () => {
    fc.assert(
      fc.property(evil, around, around, (text, before, after) => {
        const marked = text.replaceAll('PWNED', 'P""WNED')
        const made = substitute(`: ${before}\${f}${after}`, {}, { f: marked })
        if (!made.ok) return
        // The command without its references is the user's alone: no word of the fact is in it.
        expect(made.script).not.toContain('WNED')
        let out = ''
        try {
          out = execFileSync('sh', ['-c', made.script], {
            encoding: 'utf8',
            env: { PATH: '/usr/bin:/bin', ...environmentOf({ f: marked }) },
            stdio: ['ignore', 'pipe', 'ignore'],
          })
        } catch {
          // Quotes that do not close are the user's to close.
        }
        expect(out).not.toContain('PWNED')
      }),
      { numRuns: 150 },
    )
  })
})
