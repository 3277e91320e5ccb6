import type { Attack } from '../attack.ts'
import { numbered, quoted, steps } from './numbered.ts'

/** Files that hold secrets by their names, and further names of such files. */
export const secretScenarios = (): Attack[] => [...names(), ...secondNames()]

const login = '//registry.example.org/:_authToken=CANARY-CLOSED-c04e2d'

/** Each with the text that makes it a secret where the name alone does not. */
const secrets: readonly (readonly [name: string, text?: string])[] = [
  ...`.cargo/credentials.toml .cargo/credentials .gem/credentials .vault-token .vault-token.bak .dev.vars
    .dev.vars.production wp-config.php wp-config.php~ blog/wp-config-local.php .env~ .env-prod .env_prod .env.bak .ENV
    prod.env prod.env.bak prod.env.local deploy/staging.env server.pem.bak server.pem~ tls.key.old tls.key~ .netrc.save
    .pgpass~ .my.cnf.bak .htpasswd.old id_rsa.bak id_ed25519~ credentials.json.bak terraform.tfvars.bak
    terraform.tfstate.backup AuthKey_1.p8 release.keystore.bak user.keytab kubeconfig dev.kubeconfig .dockercfg
    .docker/config.json .azure/accessTokens.json .config/gcloud/credentials.db .config/gh/hosts.yml .s3cfg .boto
    client_secret_7.json app-firebase-adminsdk-1.json local.settings.json secrets.yml config/secrets.yaml
    .streamlit/secrets.toml .secrets .bash_history .python_history .m2/settings.xml .composer/auth.json
    .rediscli_auth .terraformrc .password-store/x.gpg .msmtprc .sentryclirc .codex/auth.json .claude/.credentials.json
    .gemini/oauth_creds.json .config/openai/key .supabase/access-token .vercel/auth.json .netlify/config.json
    .railway/config.json .fly/config.yml .ansible/vault_pass .heroku/credentials .erlang.cookie .rclone.conf token.json`
    .split(/\s+/)
    .map((name) => [name] as const),
  ['.npmrc', login],
  ['.npmrc', login.replace(/(.*)=(.*)/, '"$1"="$2"')],
  ['.npmrc', login.replace('=', '[]=')],
  ['.npmrc', `'_auth' = CANARY-CLOSED-c04e2d`],
  ['.yarnrc.yml', 'npmAuthToken: CANARY-CLOSED-c04e2d'],
  ['.yarnrc.yml', 'npmScopes: {a: {"npmAuthIdent": "u:CANARY-CLOSED-c04e2d"}}'],
  ['.yarnrc.yml', '? npmAuthToken\n: CANARY-CLOSED-c04e2d'],
  ['packages/a/.yarnrc', '"//r/:_authToken" CANARY-CLOSED-c04e2d\n"//r/:_password" = x'],
  ['bunfig.toml', '[install.scopes]\na = { token = "CANARY-CLOSED-c04e2d" }'],
  ['.mcp.json', '{"mcpServers": {"a": {"env": {"SERVICE_API_KEY": "CANARY-CLOSED-c04e2d"}}}}'],
  ['.aider.conf.yml', 'openai-api-key: CANARY-CLOSED-c04e2d'],
  ['pip.conf', 'index-url = https://u:CANARY-CLOSED-c04e2d@host/simple'],
]

function names(): Attack[] {
  return numbered(
    'SECRET',
    { why: 'what may not be read is not shown by any action, command or code' },
    secrets.map(([name, text = `KEY=CANARY-CLOSED-c04e2d\n`]) => ({
      description: `${name} ${text.startsWith('KEY') ? '' : text.replaceAll('CANARY-CLOSED-c04e2d', '…')}`.trim(),
      setup: `mkdir -p "$(dirname ${name})"; printf %s ${quoted(text)} > ${name}; git add -f ${name}; git commit -qm s; echo more >> ${name}`,
      ...steps(
        ['file_read', { path: `{P}/${name}` }],
        ['files_read', { paths: `{P}/${name}` }],
        ['grep', { pattern: 'CANARY-C[L]', path: '{P}' }],
        ['run', { command: `cat ${name}` }],
        ['run', { command: 'grep -rn CANARY-C.OSED .' }],
        ['run', { command: 'git diff' }],
        ['run', { command: 'git log -p -n 1' }],
        ['exec', { lang: 'bash', code: `cat ${name}; cp ${name} copy.txt; cat copy.txt; git show HEAD:${name}` }],
        ['file_copy', { old_path: `{P}/${name}`, new_path: '{P}/copied.txt' }],
        ['file_read', { path: '{P}/copied.txt' }],
        ['file_move', { old_path: `{P}/${name}`, new_path: '{P}/moved.txt' }],
        ['file_read', { path: '{P}/moved.txt' }],
      ),
    })),
  )
}

/** Further names of a blocked file; `{X}` is the one that is tried. */
const others: readonly (readonly [what: string, setup: string, name: string])[] = [
  ['a hard link', 'ln .env notes.txt', 'notes.txt'],
  [
    'a hard link in a directory of packages',
    'mkdir -p node_modules/a; ln .env node_modules/a/x.js',
    'node_modules/a/x.js',
  ],
  [
    'a hard link in site-packages',
    'mkdir -p lib/site-packages; ln .env lib/site-packages/x.py',
    'lib/site-packages/x.py',
  ],
  [
    'the target of a link with a blocked name',
    'mkdir conf; mv .env conf/prod.txt; ln -s conf/prod.txt .env',
    'conf/prod.txt',
  ],
  [
    'a hard link to the target of such a link',
    'mkdir conf; mv .env conf/prod.txt; ln -s conf/prod.txt .env; ln conf/prod.txt other.txt',
    'other.txt',
  ],
  ['a file below the target of such a link', 'mkdir keys; cp secrets/key.pem keys/one; ln -s keys .ssh', 'keys/one'],
  ['a hard link to a file outside', 'ln {O}/secret.txt notes.txt', 'notes.txt'],
  [
    'a hard link to a blocked file deep below',
    'mkdir -p a/b/c; cp .env a/b/c/id_rsa; ln a/b/c/id_rsa notes.txt',
    'notes.txt',
  ],
  ['a hard link to a copy of an editor', 'cp .env .env~; ln .env~ notes.txt', 'notes.txt'],
]

/** What is tried, and what is done before it once the name is there. */
const ways: readonly (readonly [what: string, attack: Pick<Attack, 'action'> & Partial<Attack>, before?: string])[] = [
  [
    'read',
    steps(
      ['file_read', { path: '{P}/{X}' }],
      ['run', { command: 'cat {X}' }],
      ['exec', { lang: 'bash', code: 'cat {X}' }],
    ),
  ],
  ['searched', steps(['grep', { pattern: 'CANARY-.*-', path: '{P}' }], ['run', { command: 'grep -rn CANARY-[CO] .' }])],
  [
    'overwritten',
    {
      ...steps(['file_write', { path: '{P}/{X}', content: 'x\n' }]),
      afterwards: 'clada history 1; clada undo; clada history --all',
    },
  ],
  ['previewed', { ...steps(['file_write', { path: '{P}/{X}', content: 'x\n' }]), preview: true }],
  [
    'moved',
    {
      ...steps(
        ['file_move', { old_path: '{P}/{X}', new_path: '{P}/open.txt' }],
        ['file_read', { path: '{P}/open.txt' }],
      ),
      afterwards: 'clada history 1',
    },
  ],
  ['deleted', { ...steps(['file_delete', { path: '{P}/{X}' }]), afterwards: 'clada history 1; clada undo' }],
  [
    'copied by commands',
    steps(
      ['run', { command: 'cp {X} open.txt' }],
      ['run', { command: 'mv {X} open2.txt' }],
      ['file_read', { path: '{P}/open.txt' }],
      ['file_read', { path: '{P}/open2.txt' }],
    ),
  ],
  [
    'in the working set',
    {
      ...steps(['file_read', { path: '{P}/src/a.txt' }]),
      afterwards: 'clada context add {X}; clada context print; clada prompt --files',
    },
  ],
  [
    'committed',
    steps(
      ['run', { command: 'git show' }],
      ['run', { command: 'git log -p' }],
      ['run', { command: 'git log -p -- {X}' }],
      ['run', { command: 'git diff' }],
      ['run', { command: 'git diff HEAD~1 HEAD' }],
      ['run', { command: 'git blame {X}' }],
      ['exec', { lang: 'bash', code: 'git show HEAD:{X}; git log -p -1' }],
    ),
    'git add -f {X}; git commit -qm further; echo more >> {X}',
  ],
]

function secondNames(): Attack[] {
  return numbered(
    'SECOND',
    { why: 'a further name of a blocked file is blocked as it is' },
    others.flatMap(([what, setup, name]) =>
      ways.map(([way, attack, before = 'true']) => ({
        description: `${what}, ${way}`,
        setup: `${setup}; ${named(before, name)}`,
        ...named(attack, name),
      })),
    ),
  )
}

const named = <T>(value: T, name: string): T => JSON.parse(JSON.stringify(value).replaceAll('{X}', name)) as T
