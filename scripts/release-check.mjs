// Refuses to publish what is not ready: without a public home, a changelog, a clean tree and a tag of the same version.
//
//   npm run release:check          `npm publish` runs it first
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '..'))
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'packages/clada/package.json'), 'utf8'))
const problems = [...homeProblems(), ...registryProblems(), ...changelogProblems(), ...gitProblems()]
for (const problem of problems) console.error(`release: ${problem}`)
if (problems.length === 0) console.log(`clada ${manifest.version} can be published.`)
process.exitCode = problems.length === 0 ? 0 : 1

function homeProblems() {
  const addresses = {
    repository: manifest.repository?.url ?? manifest.repository,
    homepage: manifest.homepage,
    bugs: manifest.bugs?.url ?? manifest.bugs,
  }
  return Object.entries(addresses).flatMap(([key, address]) =>
    typeof address === 'string' &&
    /^(?:git\+)?https:\/\/(?!(?:[\w.-]+\.)?(?:example|invalid|localhost)\b)[\w-]+(?:\.[\w-]+)+\//.test(address)
      ? []
      : [`package.json has no public address as "${key}". Fill it in when the project has a public home.`],
  )
}

/** The MCP registry gives a name only to the owner of the repository that it is in. */
function registryProblems() {
  const [, owner] = /github\.com\/([\w-]+)\//.exec(String(manifest.repository?.url ?? manifest.repository)) ?? []
  return owner === undefined || manifest.mcpName?.startsWith(`io.github.${owner}/`)
    ? []
    : [`package.json has the mcpName "${manifest.mcpName}". The registry wants io.github.${owner}/${manifest.name}.`]
}

function changelogProblems() {
  const heading = new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm')
  return heading.test(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'))
    ? []
    : [`CHANGELOG.md has no section "## ${manifest.version} (YYYY-MM-DD)".`]
}

function gitProblems() {
  const tag = `v${manifest.version}`
  const found = []
  if (git('status', '--porcelain', '--untracked-files=no') !== '')
    found.push('files differ from the last commit. Commit them.')
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(tag))
    found.push(`the commit has no tag ${tag}: git tag ${tag}`)
  return found
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
