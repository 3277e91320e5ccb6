import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** What `npm run check` looks at even without the tests. It needs no command line. */
export default defineConfig({
  test: {
    include: ['test/layers.test.ts', 'test/shape.test.ts'],
    root: path.join(import.meta.dirname, '..'),
    testTimeout: 120_000,
  },
})
