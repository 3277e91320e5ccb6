import fs from 'node:fs'
import { spellOut } from '../../report/words.ts'
import { approvalFacts } from '../ask.ts'
import type { Command } from '../command.ts'
import { approving, editing, type FlagValues, limits, reading, reporting, saving, UsageError } from '../flags.ts'
import { cladaOptions, forLongProcess, configWarnings, loadConfigFiles, reportOptions, withConfig } from '../options.ts'
import { isTerminal } from '../streams.ts'
import { ownVersion } from './version.ts'
import { registry } from '../../actions/registry.ts'
import type { ClientProject } from '../../mcp/client-roots.ts'
import { defaultTools, executeTool } from '../../mcp/document-tools.ts'
import type { McpOptions } from '../../mcp/session.ts'
import { didYouMean } from '@clada/reply/text/closest-name.ts'

export const command: Command = {
  name: 'mcp',
  group: 'agents',
  usage: 'clada mcp [--http [PORT]]',
  summary: 'serve MCP clients, on stdio or HTTP',
  about:
    'Speaks MCP on standard input and output, or over HTTP on this machine: tools for the everyday actions, and one for\nwhole documents. An MCP client starts it; docs/mcp.md has the lines that common clients need. Without --root the\nproject is the current directory, or what the client names as its roots.',
  documents: true,
  flags: ['tools', 'http', ...reading, ...reporting, ...approving, 'atomic', ...editing, ...saving, ...limits, 'help'],
  examples: [
    ['clada mcp', 'for this project, or for the roots of the client'],
    ['clada mcp --root ~/project', 'the command for a client to start'],
    ['clada mcp --http 7700', 'for clients that connect to an address'],
  ],
  run: async ({ flags, words: [word, ...rest] }) => {
    const http = flags.http !== undefined
    if (rest.length > 0 || (word !== undefined && !(http && /^\d{1,5}$/.test(word))))
      throw new UsageError(`clada mcp takes no arguments (got '${word}'). Use --root DIR to choose the project.`)
    const tools = toolChoice(flags.tools)
    if (!http && isTerminal(0)) log('this is for MCP clients, which speak to it on standard input; Ctrl-C ends it')
    const first = await clientProject(flags)
    const given: McpOptions = {
      // A root that the user names is the limit; without it the client names the project.
      place:
        first.options.repoPath === undefined
          ? { anywhere: (root) => clientProject(root === undefined ? flags : { ...flags, root: [root] }) }
          : { within: first },
      first,
      tools,
      version: ownVersion(),
      question: (request) => approvalFacts(request).join('\n'),
      log,
    }
    // Loaded here: it is the largest part of clada, and help reads this file too.
    if (http) await (await import('../../mcp/serve-http.ts')).serveHttp(given, Number(word ?? 0))
    else await (await import('../../mcp/serve.ts')).serveMcp(given)
    // Standard input may still be open, and nothing more is expected from it.
    process.exit(0)
  },
}

async function clientProject(given: FlagValues): Promise<ClientProject> {
  const flags = { ...given, root: given.root ?? [] }
  const options = forLongProcess(await cladaOptions(flags))
  const loaded = await loadConfigFiles(flags)
  const gitIsChosen = flags.git !== undefined || flags['no-git'] !== undefined
  const from = loaded?.merged['git.mode'].from ?? 'default'
  return {
    // Six calls must not become six commits on the branch of the user.
    options: gitIsChosen || from !== 'default' ? options : { ...options, git: 'shadow' },
    rules: loaded?.config.prompt.rules ?? [],
    warnings: await configWarnings(flags),
    report: reportOptions(await withConfig(flags)),
  }
}

/** @throws UsageError for a name that is no action */
function toolChoice(given: readonly string[] | undefined): McpOptions['tools'] {
  if (given === undefined) return defaultTools
  const names = given.flatMap((one) => one.split(',')).map((name) => name.trim())
  if (names.includes('all')) return 'all'
  return names.flatMap((name) => {
    if (name === '' || name === executeTool.name) return []
    const found = registry.get(name)
    if (found !== undefined) return [found.name]
    throw new UsageError(`--tools: there is no action ${name}.${didYouMean(name, [...registry.keys()])}`)
  })
}

function log(line: string): void {
  try {
    fs.writeSync(2, `clada mcp: ${spellOut(line)}\n`)
  } catch {
    // The reader is gone.
  }
}
