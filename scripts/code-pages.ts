import { codes } from '@clada/reply/core/codes.ts'
import { exitCodes } from '../packages/clada/src/cli/command.ts'

/** docs/error-codes.md */
export const errorCodesPage = (): string =>
  [
    '# Error codes',
    '',
    'Every failed action has a code, in the report for programs (`--format json`, `result.code`) and after the message',
    'elsewhere. The message and its advice are more exact than this table. Codes in capitals belong to the actions on',
    'structures. A block that cannot be read has the code of the rule that it breaks, such as `MALFORMED_HEADER`. A message',
    'may name a code of the operating system, such as `ENOENT`.',
    '',
    '| code | meaning | what to do |',
    '| --- | --- | --- |',
    ...Object.entries(codes).map(([code, [means, advice]]) => `| \`${code}\` | ${means} | ${advice} |`),
    '',
  ].join('\n')

/** docs/exit-codes.md */
export const exitCodesPage = (): string =>
  [
    '# Exit codes',
    '',
    'The exit codes of `clada` are the same for all commands. Reports go to standard output, progress and questions to',
    'standard error.',
    '',
    '| code | meaning |',
    '| --- | --- |',
    ...Object.entries(exitCodes).map(([code, means]) => `| ${code} | ${means} |`),
    '',
  ].join('\n')
