// @ts-nocheck -- as replaceText.test.ts, which its author wrote: his cases for this function came without their test.
/* oxlint-disable */
import { describe, it, expect } from 'vitest';
import { extractNumberedLines } from '../../../compat.ts';
import { cases } from '../../test-data/unit/extractNumberedLines.cases.ts';

describe('extractNumberedLines', () => {
  cases.forEach(({ name, input, expected, throws }) => {
    it(name, () => {
      if (throws) {
        expect(() => extractNumberedLines(...input)).toThrow(throws);
      } else {
        const result = extractNumberedLines(...input);
        expect(result).toEqual(expected);
      }
    });
  });
});
