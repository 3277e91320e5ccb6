import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    // Kills, races and fork bombs on a loaded machine: what fails three times in a row is no accident.
    retry: 2,
    pool: 'threads',
    maxWorkers: 2,
  },
})
