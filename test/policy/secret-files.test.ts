import { describe, expect, it } from 'vitest'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import { bytesContainLogin, containsLogin } from '../../packages/clada/src/core/logins.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

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
    '<add key="http_proxy.password" value="abc"/>',
    '{"env": {"AWS_SECRET_ACCESS_KEY": "abc"}}',
    '{"env": {"STRIPE_SECRET_KEY": "abc"}}',
    '{"env": {"OPENAI_KEY": "abc"}}',
    '{"env": {"GITHUB_PAT": "abc"}}',
    '{"env": {"DB_PASS": "abc"}}',
    '{"headers": {"Authorization": "Bearer abc"}}',
    '{"headers": {"Authorization": "Bearer ${A}abc"}}',
    '{"headers": {"Cookie": "session=abc"}}',
    '{"args": ["--header", "Authorization: Bearer abc"]}',
    '{"args": ["--api-key", "abc"]}',
    'args:\n  - --api-key\n  - abc',
    '{"args": ["serve", "ghp_abcdefghijklmnopqrst"]}',
    '{"github-oauth": {"github.com": "abc"}}',
    'registry=https://r\rkey = abc',
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
    '{"headers": {"Authorization": "Bearer ${TOKEN}", "X-Api-Key": "{env:KEY}"}, "args": ["--api-key", "${KEY}"]}',
    'max-chat-history-tokens: 1000\nmap-tokens: 1024\ncache-prompts: true\n',
    '[model_providers.a]\nenv_key = "OPENAI_API_KEY"\nbearer_token_env_var = "TOKEN"\n',
    '{"permissions": {"deny": ["Read(./secrets/**)"]}}',
    'token\n'.repeat(6000),
    '<configuration><packageSources><add key="nuget" value="https://api.nuget.org/v3"/></packageSources></configuration>',
  ])('contain none: %s', (text) => expect(containsLogin(text)).toBe(false))

  // A pattern that tries each run of blanks in all ways takes hours for so many.
  it.each(['token', 'key', '--token'])('are read in a moment, however many blanks follow %s', (name) => {
    for (const blank of [' ', '\n', '\r\n', '\t'])
      expect(containsLogin(`${`${blank}${name}${blank.repeat(5000)}`.repeat(40)}`)).toBe(false)
  })
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
    '.mcp.json*',
    '.aider.conf.yml*',
    '.claude/settings.json*',
    '.codex/config.toml*',
    'opencode.json*',
  ])('are blocked: %s', (name) => expect(defaultDeniedPatterns).toContain(name))
})

describe('what editors and people leave of a file that holds secrets', () => {
  const open = { allowedRoots: [], allowEscape: false, deniedPatterns: defaultDeniedPatterns }
  const judge = makePathJudge(pathPolicyOf({ ...open, root: '/p' }))

  it.each([
    '#.env#',
    '#.env.local#',
    '.env.swp',
    '.env.un~',
    '#prod.env#',
    '.prod.env.swp',
    '.prod.env.swo',
    '#id_rsa#',
    '.id_ed25519.swp',
    '#tls.key#',
    '.tls.key.swp',
    '#server.pem#',
    '.server.pem.swp',
    '.netrc.swp',
  ])('is blocked: %s', (name) => expect(judge.blockingBelow(`sub/${name}`)).toBe('always'))

  it.each([
    '.npmrc~',
    '.npmrc.bak',
    '#.npmrc#',
    '.yarnrc.yml.orig',
    '.mcp.json.bak',
    'pip.conf.old',
    '.claude/settings.json',
  ])('is blocked while it contains a login: %s', async (name) => {
    expect(judge.blockingBelow(`sub/${name}`)).toBe('with-login')
    const login = '{"token": "abc"}\n_authToken=abc\n'
    const root = scratchDir({ [name]: login, [`of/${name}`]: 'save-exact=true\n' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    const codeOf = async (path: string) => (await clada.perform('file_read', { path })).results[0]?.code
    expect([await codeOf(name), await codeOf(`of/${name}`)]).toEqual(['path_denied', undefined])
  })

  it('is blocked for a pattern of its own, whatever it contains', () => {
    const own = makePathJudge(
      pathPolicyOf({ ...open, deniedPatterns: [...open.deniedPatterns, 'pip.conf'], root: '/p' }),
    )
    expect(own.blockingBelow('pip.conf')).toBe('always')
  })

  it('contains a login in any encoding, and if it is too long to tell', () => {
    const bytes = [Buffer.from('token = x'), Buffer.from('token = x', 'utf16le'), Buffer.alloc(64 * 1024, 'a\n')]
    expect(bytes.map(bytesContainLogin)).toEqual([true, true, true])
    expect(bytesContainLogin(Buffer.from('index-url = https://example.org'))).toBe(false)
  })

  it.each(['hot.keys.ts', 'id_rsa.pub', '.env.example', 'env.ts', '#notes#', '.a.ts.swp', 'keys.md'])(
    'is not blocked: %s',
    (name) => expect(judge.blockingBelow(`sub/${name}`)).toBe('never'),
  )
})
