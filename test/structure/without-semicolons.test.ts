import { describe, expect, it } from 'vitest'
import { editEverything } from './edit-everything.ts'
import { texts } from './without-semicolons.ts'

describe('no edit of a structure changes what is next to it', () => {
  it.each(Object.entries(texts))('in %s', async (path, text) => {
    const { failures, done, refused } = await editEverything(path, text)
    expect(failures).toEqual([])
    // Between two statements on one line of Python there is no place for a function.
    expect(refused).toBeLessThan(path.endsWith('.py') ? done / 5 : 1)
  })
})
