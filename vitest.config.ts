import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // One process for all files: starting workers costs more than the tests themselves.
    pool: 'threads',
    maxWorkers: 2,
  },
})
