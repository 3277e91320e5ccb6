import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, the longest first. One that starts late runs alone while the other processes have ended. */
const longest = [
  'attacks/in-process',
  'powercut/powercut',
  'attacks/command-line',
  'extension/extension',
  'seeds/documents',
  'actions/cases',
  'damage/no-break-spaces',
  'paste-damage/other-syntaxes',
  'paste-damage/properties',
  'structure/without-semicolons',
  'syntax/table',
  'syntax/truncation',
  'replies/quoted',
  'replies/replies',
  'history/make-commits',
  'attacks/doors',
  'attacks/time',
  'history/hostile-commit',
  'history/changed-kind',
  'history/large',
  'ui/page',
  'workspace/second-names',
  'history/links-in-git',
  'models/models',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const others = await super.sort(files)
    return others.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const name = path.relative(path.join(import.meta.dirname, '..'), moduleId).replaceAll('\\', '/')
  const at = longest.findIndex((one) => name === `${one}.test.ts`)
  return at === -1 ? longest.length : at
}
