import { describe, expect, it } from 'vitest'
import { containsLogin, defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'

describe('settings of package managers and agents', () => {
  it.each([
    '//registry.npmjs.org/:_authToken=abc',
    '"//registry.npmjs.org/:_authToken"="abc"',
    "'//registry.npmjs.org/:_authToken' = abc",
    '//registry.npmjs.org/:_authToken[]=abc',
    '//registry.npmjs.org/:_password[] = abc',
    '"_auth" = "abc"',
    '_auth[]=abc',
    'key="-----BEGIN PRIVATE KEY-----"',
    'key[]=abc',
    '//r/:keyfile=/home/ada/key',
    'proxy=http://ada:secret@proxy:3128',
    '"_auth\\u0054oken" = abc',
    '# //r/:_authToken=abc',
    '_authToken=${NPM_TOKEN}abc',
    'npmAuthToken: abc',
    'npmScopes: {acme: {npmAuthToken: "abc"}}',
    '"npmAuthToken": abc',
    'npmAuthIdent:\n  "ada:secret"',
    '? npmAuthToken\n: abc',
    'npmAuthToken: "${NPM_TOKEN:-abc}"',
    '[install.scopes]\nacme = { token = "abc", url = "https://r" }',
    'index-url = https://ada:secret@pypi.example.org/simple',
    'channels:\n  - https://conda.example.org/t/ab-12345678/main',
    '{"mcpServers": {"a": {"env": {"OPENAI_API_KEY": "abc"}}}}',
    'openai-api-key: abc',
    '<packageSourceCredentials><r><add key="ClearTextPassword" value="abc"/></r></packageSourceCredentials>',
  ])('contain a login: %s', (text) => expect(containsLogin(text)).toBe(true))

  it.each([
    '',
    'save-exact=true\nregistry=https://registry.example.org/\n',
    'always-auth=true\n',
    '//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n',
    'nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.cjs\nnpmAlwaysAuth: true\n',
    'npmAuthToken: "${NPM_TOKEN}"\n',
    'npmScopes: {acme: {npmAuthToken: "${NPM_TOKEN}"}}\n',
    '[install]\nexact = true\n',
    '{"servers": {"a": {"env": {"API_KEY": "${input:api-key}"}, "args": ["--token", "${TOKEN}"]}}}',
    '<configuration><packageSources><add key="nuget" value="https://api.nuget.org/v3"/></packageSources></configuration>',
  ])('contain none: %s', (text) => expect(containsLogin(text)).toBe(false))
})

describe('files that hold logins', () => {
  it.each([
    '.codex/auth.json',
    '.claude/.credentials.json',
    '.gemini/oauth_creds.json',
    '.config/openai',
    '.supabase/access-token',
    '.vercel/auth.json',
    '.erlang.cookie',
    'token.json',
    '.mcp.json',
    '.aider.conf.yml',
  ])('are blocked: %s', (name) => expect(defaultDeniedPatterns).toContain(name))
})
