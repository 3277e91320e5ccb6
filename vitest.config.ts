import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

export default defineConfig({
  // As the build does.
  define: { CLADA_VERSION: "'0.0.0-test'", CLADA_COMMIT: "''" },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/seed.ts'],
    // For what hangs, not for what is slow: a machine may be busy with other things.
    testTimeout: 120_000,
    hookTimeout: 600_000,
    // Many tests drive browsers, terminals and programs on machines that others load. What passes only then is listed at the end.
    retry: process.env['CI'] === undefined ? 0 : 1,
    // So is a wait inside a test: it ends when what it waits for is there, or with its test.
    expect: { poll: { timeout: 110_000 } },
    // What a process keeps for its next start would be written into directories that a test is just removing.
    env: { CLADA_CODE_CACHE: 'off' },
    // Processes, not threads of one: starting a program copies the tables of all memory, which a fifth of the time went
    // into. Five on two cores, because many tests wait for programs.
    pool: 'forks',
    // Loading the sources anew for every file took a tenth of the time. So a test leaves the process as it found it.
    isolate: false,
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
  },
})
