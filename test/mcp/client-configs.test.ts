import fs from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratchDir } from '../support/scratch.ts'
import { cladaCommand } from '../support/cli.ts'

const root = path.resolve(import.meta.dirname, '../..')
const page = fs.readFileSync(path.join(root, 'docs/mcp.md'), 'utf8')

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const record = { type: 'object', additionalProperties: text } as const
const flag = { type: 'boolean' } as const
const number = { type: 'number' } as const

/** A file with servers under a key, each with these fields and no others. */
const file = (key: string, fields: object, required: readonly string[] = ['command']): object => ({
  type: 'object',
  properties: {
    [key]: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { type: 'object', properties: fields, required, additionalProperties: false },
    },
  },
  required: [key],
})

const command = { command: text, args: texts, env: record }

/** The fields of a local server as the documentation of each client has them, November 2026. */
const documented: Readonly<Record<string, object>> = {
  'Claude Desktop': file('mcpServers', command),
  'Claude Code': file('mcpServers', { ...command, type: { const: 'stdio' }, timeout: number }),
  Cursor: file('mcpServers', { ...command, type: { const: 'stdio' }, envFile: text }),
  'VS Code': file('servers', { ...command, type: { const: 'stdio' }, cwd: text, envFile: text, dev: {} }, [
    'type',
    'command',
  ]),
  Windsurf: file('mcpServers', { ...command, disabled: flag, disabledTools: texts }),
  Zed: file('context_servers', { ...command, enabled: flag, source: { const: 'custom' }, timeout: number }),
  Cline: file('mcpServers', { ...command, disabled: flag, autoApprove: texts, alwaysAllow: texts, timeout: number }),
  JetBrains: file('mcpServers', command),
  Codex: file('mcp_servers', {
    ...command,
    cwd: text,
    env_vars: texts,
    enabled: flag,
    required: flag,
    startup_timeout_sec: number,
    tool_timeout_sec: number,
    enabled_tools: texts,
    disabled_tools: texts,
  }),
  'Gemini CLI': file('mcpServers', {
    ...command,
    cwd: text,
    timeout: number,
    trust: flag,
    description: text,
    includeTools: texts,
    excludeTools: texts,
  }),
}

/** The lines of each letter of the page. */
const blocks = new Map(
  [...page.matchAll(/^([A-F])[:,] .*\n\n```(json|toml)\n([\s\S]*?)```$/gm)].map(
    ([, letter = '', language, lines = '']) => [letter, language === 'json' ? JSON.parse(lines) : tables(lines)],
  ),
)

const rows = [...page.matchAll(/^\| ([^|]+) \| .* \| ([A-F]) \|$/gm)].map(([, client = '', letter = '']) => ({
  client,
  config: blocks.get(letter),
}))

/** TOML, as far as it goes here: tables, and values that JSON has too. */
function tables(lines: string): unknown {
  const whole: Record<string, Record<string, Record<string, unknown>>> = {}
  let table: Record<string, unknown> = {}
  for (const line of lines.split('\n')) {
    const [, group, name] = /^\[(\w+)\.(\w+)\]$/.exec(line) ?? []
    if (group !== undefined && name !== undefined) (whole[group] ??= {})[name] = table = {}
    const [, key, value] = /^(\w+) = (.+)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) table[key] = JSON.parse(value)
  }
  return whole
}

it('the page has lines for ten clients', () => {
  expect(rows.map(({ client }) => client)).toEqual(Object.keys(documented))
})

describe.each(rows)('the lines for $client', ({ client, config }) => {
  it('are as its documentation says', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false })
    const validate = ajv.compile(documented[client] ?? false)
    expect([validate(config), validate.errors]).toEqual([true, null])
    // A field that the client does not know would be caught.
    const [[key = '', servers = {}] = []] = Object.entries(config as Record<string, Record<string, object>>)
    expect(validate({ [key]: { clada: { ...servers['clada'], comand: 'x' } } })).toBe(false)
  })

  it('start a server that answers', async () => {
    const project = scratchDir({ 'a.txt': 'x' })
    const [servers] = Object.values(config as Record<string, Record<string, { command: string; args: string[] }>>)
    const { command: program, args = [] } = servers?.['clada'] ?? {}
    expect(program).toBe('clada')
    const placed = args.map((arg) => arg.replace('${workspaceFolder}', project).replace('/path/to/project', project))
    const [command = '', ...first] = cladaCommand()
    const transport = new StdioClientTransport({
      command,
      args: [...first, ...placed],
      cwd: project,
      env: { PATH: process.env['PATH'] ?? '', HOME: scratchDir(), CLADA_CODE_CACHE: 'off' },
      stderr: 'ignore',
    })
    const connecting = new Client({ name: client, version: '1' })
    await connecting.connect(transport)
    onTestFinished(() => connecting.close())
    const read = await connecting.callTool({ name: 'files_read', arguments: { paths: ['a.txt'] } })
    expect(read.content).toEqual([{ type: 'text', text: '=== a.txt ===\nx' }])
  })
})

describe('server.json', () => {
  const entry = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/server.json'), 'utf8'))
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/package.json'), 'utf8'))

  it('is as the registry wants it', () => {
    // The parts of the registry's schema of 2025-12-11 that apply to a package of npm.
    const argument = {
      type: 'object',
      properties: {
        type: { enum: ['positional', 'named'] },
        value: text,
        name: text,
        description: text,
        format: { enum: ['string', 'number', 'boolean', 'filepath'] },
        isRequired: flag,
      },
      required: ['type'],
      additionalProperties: false,
    }
    const schema = {
      type: 'object',
      properties: {
        $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
        name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', minLength: 3, maxLength: 200 },
        title: { type: 'string', minLength: 1, maxLength: 100 },
        description: { type: 'string', minLength: 1, maxLength: 100 },
        repository: { type: 'object', properties: { url: text, source: text }, required: ['url', 'source'] },
        version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
        packages: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              registryType: { const: 'npm' },
              identifier: text,
              version: text,
              runtimeHint: text,
              transport: { type: 'object', properties: { type: { const: 'stdio' } }, required: ['type'] },
              packageArguments: { type: 'array', items: argument },
            },
            required: ['registryType', 'identifier', 'transport'],
            additionalProperties: false,
          },
        },
      },
      required: ['$schema', 'name', 'description', 'version'],
      additionalProperties: false,
    }
    const validate = new Ajv2020({ strict: true, strictRequired: false }).compile(schema)
    expect([validate(entry), validate.errors]).toEqual([true, null])
  })

  it('names the package, in this version, as the package names itself', () => {
    expect(entry).toMatchObject({
      name: manifest.mcpName,
      version: manifest.version,
      packages: [{ identifier: manifest.name, version: manifest.version }],
    })
  })
})
