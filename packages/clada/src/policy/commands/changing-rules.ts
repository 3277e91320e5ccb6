import { type CommandRule, flagOption, flagOptions } from './rule.ts'

/** Commands that change files; the workspace carries them out. */
export const changingRules: readonly CommandRule[] = [
  {
    name: 'mv',
    examples: ['mv a.txt b.txt', 'mv -f a.txt src/', 'mv a b src'],
    options: [
      flagOption('-n', '--no-clobber'),
      flagOption('-f', '--force'),
      flagOption('-v', '--verbose'),
      flagOption('-T', '--no-target-directory'),
    ],
    operands: { min: 2, max: 200, kinds: ['written'] },
  },
  {
    name: 'cp',
    examples: ['cp a.txt b.txt', 'cp -r src dst', 'cp -R src dst'],
    options: [
      flagOption('-r', '-R', '--recursive'),
      flagOption('-n', '--no-clobber'),
      flagOption('-f', '--force'),
      flagOption('-v', '--verbose'),
      flagOption('-T', '--no-target-directory'),
      ...flagOptions('-p -P'),
    ],
    operands: { min: 2, max: 200, kinds: ['written'] },
  },
  {
    name: 'rm',
    examples: ['rm a.txt', 'rm -rf dist', 'rm -f a b'],
    options: [flagOption('-r', '-R', '--recursive'), flagOption('-f', '--force'), flagOption('-v', '--verbose')],
    operands: { min: 1, max: 200, kinds: ['written'] },
  },
  {
    name: 'mkdir',
    examples: ['mkdir a', 'mkdir -p a/b/c', 'mkdir -pv a b'],
    options: [flagOption('-p', '--parents'), flagOption('-v', '--verbose')],
    operands: { min: 1, max: 200, kinds: ['written'] },
  },
  {
    name: 'touch',
    examples: ['touch a.txt', 'touch -c a b', 'touch -am a'],
    options: [...flagOptions('-a -m'), flagOption('-c', '--no-create')],
    operands: { min: 1, max: 200, kinds: ['written'] },
  },
]
