// Prints the section of CHANGELOG.md for the commits since the last tag, from their subjects `type(scope): summary`.
// npm run changelog -- [VERSION]
import { execFileSync, spawnSync } from 'node:child_process'

const [version = 'Unreleased'] = process.argv.slice(2)
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const tag = spawnSync('git', ['describe', '--tags', '--abbrev=0'], { encoding: 'utf8' }).stdout.trim()

/** What users notice, in the order of the section; other types are left out. */
const headings = { feat: 'New', fix: 'Fixed', perf: 'Faster' }
const subjects = git('log', '--format=%s', '--reverse', ...(tag === '' ? [] : [`${tag}..HEAD`])).split('\n')
const sections = Object.entries(headings).flatMap(([type, heading]) => {
  const lines = subjects.flatMap((subject) => {
    const [, kind, scope, breaking, summary] = /^(\w+)(?:\(([^)]+)\))?(!)?: (.+)$/.exec(subject) ?? []
    return kind === type
      ? [`- ${breaking ? '**Breaking** ' : ''}${scope === undefined ? '' : `${scope}: `}${summary}`]
      : []
  })
  return lines.length === 0 ? [] : [`### ${heading}\n\n${lines.join('\n')}`]
})
console.log([`## ${version} (${new Date().toISOString().slice(0, 10)})`, ...sections].join('\n\n'))
