// @ts-nocheck -- as its author wrote it: only the import lines are other ones.
/* oxlint-disable */
import { describe, expect, it } from 'vitest';
import { validateAction } from '../../compat.ts';
import testData from '../test-data/validateAction.json' with { type: 'json' };

describe('validateAction', () => {
  testData.cases.forEach((testCase) => {
    it(testCase.name, () => {
      const [block, schemas] = testCase.input;
      const result = validateAction(block, schemas);
      expect(result).toEqual(testCase.expected);
    });
  });
});
