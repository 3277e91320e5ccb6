import fs from 'node:fs'
import path from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly mcpName: string
  readonly repository?: { readonly url: string }
}

/** `server.json`: how the MCP registry lists clada, from what npm has anyway. */
export function registryEntry(root: string): object {
  const manifest: Manifest = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/package.json'), 'utf8'))
  const { name, version, mcpName, repository } = manifest
  const url = repository?.url.replace(/^git\+|\.git$/g, '')
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'clada',
    description: 'Read, edit and run code in one project: exact edits, approvals, a sandbox, and undo.',
    ...(url === undefined ? {} : { repository: { url, source: 'github' } }),
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', value: 'mcp' },
          {
            type: 'named',
            name: '--root',
            description: 'The project. Without it: the directory that the server is started in.',
            format: 'filepath',
            isRequired: false,
          },
        ],
      },
    ],
  }
}
