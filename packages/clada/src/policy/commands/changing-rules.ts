import { type CommandRule, flag, flags } from './rule.ts'

/** Commands that change files; the workspace carries them out. */
export const changingRules: readonly CommandRule[] = [
  {
    name: 'mv',
    examples: ['mv a.txt b.txt', 'mv -f a.txt src/', 'mv a b src'],
    by: 'workspace',
    options: [
      flag('-n', '--no-clobber'),
      flag('-f', '--force'),
      flag('-v', '--verbose'),
      flag('-T', '--no-target-directory'),
    ],
    operands: { min: 2, max: 200, kinds: ['written'] },
  },
  {
    name: 'cp',
    examples: ['cp a.txt b.txt', 'cp -r src dst', 'cp -R src dst'],
    by: 'workspace',
    options: [
      flag('-r', '-R', '--recursive'),
      flag('-n', '--no-clobber'),
      flag('-f', '--force'),
      flag('-v', '--verbose'),
      flag('-T', '--no-target-directory'),
      ...flags('-p -P'),
    ],
    operands: { min: 2, max: 200, kinds: ['written'] },
  },
  {
    name: 'rm',
    examples: ['rm a.txt', 'rm -rf dist', 'rm -f a b'],
    by: 'workspace',
    options: [flag('-r', '-R', '--recursive'), flag('-f', '--force'), flag('-v', '--verbose')],
    operands: { min: 1, max: 200, kinds: ['written'] },
  },
  {
    name: 'mkdir',
    examples: ['mkdir a', 'mkdir -p a/b/c', 'mkdir -pv a b'],
    by: 'workspace',
    options: [flag('-p', '--parents'), flag('-v', '--verbose')],
    operands: { min: 1, max: 200, kinds: ['written'] },
  },
  {
    name: 'touch',
    examples: ['touch a.txt', 'touch -c a b', 'touch -am a'],
    by: 'workspace',
    options: [...flags('-a -m'), flag('-c', '--no-create')],
    operands: { min: 1, max: 200, kinds: ['written'] },
  },
]
