import fs from 'node:fs'
import { serveMcp } from '../mcp/serve.ts'
import { printable } from '../report/printable.ts'
import { approvalFacts } from './ask.ts'
import type { Command } from './command.ts'
import { UsageError } from './flags.ts'
import { configured, configWarnings, reportOptions, withConfig } from './options.ts'
import { isTerminal } from './terminal.ts'
import { ownVersion } from './version.ts'

export const command: Command = async ({ flags, words }) => {
  if (words.length > 0) throw new UsageError(`mcp takes no words; '${words[0]}' is one. The project is --root DIR.`)
  if (isTerminal(0)) log('this is for MCP clients, which speak to it on standard input; Ctrl-C ends it')
  const { options, config } = await configured(flags)
  await serveMcp({
    options,
    rules: config.prompt.rules,
    warnings: await configWarnings(flags),
    report: reportOptions(await withConfig(flags)),
    version: ownVersion(),
    question: (request) => approvalFacts(request).join('\n'),
    log,
  })
  // Standard input may still be open, and nothing more is expected from it.
  process.exit(0)
}

function log(line: string): void {
  try {
    fs.writeSync(2, `clada mcp: ${printable(line)}\n`)
  } catch {
    // Nobody reads it.
  }
}
