import { expect, it } from 'vitest'
import { proposeCommands } from '../../packages/clada/src/cli/commands/init.ts'
import { scratchDir } from '../support/scratch.ts'

it.each([
  [{ 'package.json': '{"scripts": {"test": "vitest"}}' }, ['npm test']],
  [{ 'package.json': '{"scripts": {"test": "vitest"}}', 'pnpm-lock.yaml': '' }, ['pnpm test']],
  [{ 'package.json': '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' }, []],
  [{ 'package.json': '{"scripts": {"build": "tsc"}}' }, []],
  [{ 'pyproject.toml': '[tool.pytest.ini_options]\n' }, ['pytest']],
  [{ 'conftest.py': '' }, ['pytest']],
  [{ 'Cargo.toml': '', 'go.mod': '' }, ['cargo test', 'go test ./...']],
  [{ Makefile: 'all:\n\ntest: all\n\t./t\n' }, ['make test']],
  [{ Makefile: 'test := 1\n' }, []],
  [{}, []],
])('%j has %j', (files, commands) => {
  expect(proposeCommands(scratchDir(files))).toEqual(commands)
})
