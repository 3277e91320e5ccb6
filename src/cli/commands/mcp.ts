import fs from 'node:fs'
import { printable } from '../../report/printable.ts'
import { approvalFacts } from '../ask.ts'
import type { Command } from '../command.ts'
import { saving } from '../flags.ts'
import { configured, configWarnings, reportOptions, withConfig } from '../options.ts'
import { isTerminal } from '../terminal.ts'
import { ownVersion } from './version.ts'

export const command: Command = {
  name: 'mcp',
  usage: 'clada mcp',
  summary: 'the MCP server, on stdio',
  about:
    'Speaks MCP on standard input and output: a tool for each action, and one for whole documents. An MCP client\nstarts it; docs/mcp.md has the lines that common clients need.',
  words: [],
  instead: 'Use --root DIR to choose the project.',
  documents: true,
  flags: [
    'root',
    'no-config',
    'allow',
    'allow-escape',
    'syntax',
    'csl-delimiters',
    'error-detail',
    'budget',
    'max-output',
    'exec',
    'approve',
    'approve-network',
    'trust-approvals',
    'atomic',
    'strict',
    'matching',
    'patches',
    ...saving,
    'timeout',
    'total-timeout',
    'help',
  ],
  examples: [['clada mcp --root ~/project', 'the command for a client to start']],
  run: async ({ flags }) => {
    if (isTerminal(0)) log('this is for MCP clients, which speak to it on standard input; Ctrl-C ends it')
    const { options, config } = await configured(flags)
    // Loaded here: it is the largest part of clada, and help reads this file too.
    const { serveMcp } = await import('../../mcp/serve.ts')
    await serveMcp({
      options,
      rules: config.rules,
      warnings: await configWarnings(flags),
      report: reportOptions(await withConfig(flags)),
      version: ownVersion(),
      question: (request) => approvalFacts(request).join('\n'),
      log,
    })
    // Standard input may still be open, and nothing more is expected from it.
    process.exit(0)
  },
}

function log(line: string): void {
  try {
    fs.writeSync(2, `clada mcp: ${printable(line)}\n`)
  } catch {
    // The reader is gone.
  }
}
