// @ts-nocheck -- as its author wrote it: only the import lines are other ones.
/* oxlint-disable */
import { describe, it, expect } from 'vitest';
import { replaceText } from '../../../compat.ts';
import { cases } from '../../test-data/unit/replaceText.cases.ts';

describe('replaceText', () => {
  cases.forEach(({ name, input, expected, throws }) => {
    it(name, () => {
      if (throws) {
        expect(() => replaceText(...input)).toThrow(throws);
      } else {
        const result = replaceText(...input);
        expect(result).toEqual(expected);
      }
    });
  });
});
