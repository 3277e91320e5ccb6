/**
 * Files that hold secrets, by name: the only table of them. A name without a slash matches any one component of a path;
 * `!` allows again. A slash at the end is that of a directory in which everything is secret. A star at the
 * end covers the copies that editors and people leave, such as `.netrc~` and `.netrc.bak`. Where it would cover source
 * code too (`*.key*` has `hot.keys.ts`), the copies are spelled out.
 */
const rows: readonly SecretRow[] = [
  [
    'variables of an environment',
    '.env* #.env*# !.env*example !.env*sample !.env*template !.env*.dist .dev.vars* !.dev.vars.example',
    ...withCopies('*.env'),
    '*.env.local !*example.env !*sample.env !*template.env',
  ],
  [
    'private keys, and stores of keys and passwords',
    '.ssh/ .gnupg/ secring.gpg .password-store/ .age-key* *.agekey *.ovpn *.p8 *.keytab krb5cc_*',
    ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519'].map(
      (name) => `${name} ${name}.* ${name}~* ${name}-* ${name}_* .${name}.sw? #${name}# !${name}*.pub`,
    ),
    ...withCopies('*.key'),
    ...withCopies('*.keystore'),
    '*.pem* *.p12* *.pfx* *.pkcs12* *.ppk* *.jks* *.jceks* *.bks* *.kdbx*',
  ],
  [
    'logins of package managers',
    '.pypirc* .cargo/credentials* .gem/credentials* .m2/settings*.xml .composer/auth.json .sbt/.credentials',
    '.ivy2/.credentials',
  ],
  ['logins of version control', '.netrc* _netrc* .git-credentials* .config/git/credentials .config/gh/hosts.yml'],
  ['logins of databases', '.pgpass* pgpass.conf .my.cnf* .mylogin.cnf .rediscli_auth .databrickscfg .snowsql/config'],
  [
    'logins of servers and clouds',
    '.htpasswd* .curlrc* .aws/credentials* .aws/sso/ .aws/cli/cache/ .azure/ .config/gcloud/ .boto* .s3cfg* .oci/ .passwd-s3fs',
    '.docker/config.json* .dockercfg* .dockerconfigjson .kube/config* kubeconfig* *.kubeconfig .vault-token*',
    '.vault_pass* .vault-pass* vault_pass.txt .terraformrc .terraform.d/credentials* *.tfstate* *.tfvars*',
    '!*.tfvars.example .config/rclone/ rclone.conf .sentryclirc .clasprc.json kaggle.json .huggingface/token',
    'credentials.json* client_secret*.json service-account*.json service_account*.json serviceaccount*.json',
    '*firebase-adminsdk*.json application_default_credentials.json gha-creds-*.json local.settings.json*',
    '.smbcredentials* .msmtprc* .rclone.conf .erlang.cookie .heroku/credentials .config/hub token.json token.pickle',
    '.supabase/access-token .netlify/config.json .vercel/auth.json .railway/config.json .fly/config.yml .ansible/vault_pass*',
  ],
  [
    'logins of agents',
    '.codex/auth.json .claude/.credentials.json .gemini/oauth_creds.json .config/openai/ .copilot/config.json',
    '.config/github-copilot/ .local/share/opencode/auth.json',
  ],
  [
    'settings of applications that contain passwords',
    'wp-config*.php* !wp-config-sample.php localsettings.php secrets.yml* secrets.yaml* secrets.json* secrets.toml*',
    '.secrets/ .secrets.* !.secrets.baseline',
  ],
  [
    'what was typed in shells and consoles',
    '.bash_history .zsh_history .sh_history .python_history .node_repl_history .psql_history .mysql_history',
    '.sqlite_history .rediscli_history .irb_history .viminfo',
  ],
  ['the system', '/etc /sys /proc /dev !/dev/shm'],
]

/** Of package managers and agents, whose settings hold a login only sometimes: blocked while they do. */
const settingsOfTools: SecretRow = [
  'settings that may contain a login',
  ...'.npmrc .pnpmrc .yarnrc bunfig.toml .bunfig.toml pip.conf pip.ini .condarc nuget.config .mcp.json mcp.json'
    .concat(' claude_desktop_config.json .aider.conf.yml .aider.conf.yaml .claude.json settings.local.json')
    .concat(' mcp_settings.json cline_mcp_settings.json mcp_config.json opencode.json opencode.jsonc auth.json')
    .concat(' uv.toml gradle.properties .wgetrc .hgrc')
    .split(' ')
    .map((name) => `${name}* #${name}#`),
  '.claude/settings.json* .gemini/settings.json* .codex/config.toml* .continue/config.* .bundle/config*',
  '.cargo/config* .config/pypoetry/auth.toml*',
]

type SecretRow = readonly [what: string, ...names: string[]]

function withCopies(name: string): string[] {
  const saved = ['', '~', '.bak', '.old', '.orig', '.save'].map((end) => `${name}${end}`)
  // What Vim and Emacs write while a file is open.
  return [...saved, `.${name}.sw?`, `#${name}#`]
}

const splitNames = ([, ...names]: SecretRow): string[] => names.join(' ').split(' ')

const secretNames = (row: SecretRow): string[] => splitNames(row).map((name) => name.replace(/\/$/, ''))

const dependent: ReadonlySet<string> = new Set(secretNames(settingsOfTools))

/** Whether a pattern blocks a file only because of its content. */
export const dependsOnContent = (pattern: string): boolean => dependent.has(pattern)

/** Files that are blocked for replies unless the user's config says otherwise. */
export const defaultDeniedPatterns: readonly string[] = [...rows, settingsOfTools].flatMap(secretNames)

/** Directories in which everything is secret, with what that is. */
export const secretDirectories: readonly { readonly name: string; readonly what: string }[] = rows.flatMap((row) =>
  splitNames(row).flatMap((name) => (name.endsWith('/') ? { name: name.slice(0, -1), what: row[0] } : [])),
)
