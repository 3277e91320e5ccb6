import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandEnvironment, isSecretName } from '../../src/process/environment.ts'
import { plainConfig } from '../../src/process/git-room.ts'
import { pathOutside } from '../../src/process/programs.ts'
import { changesBetween, surveyOf } from '../../src/process/survey.ts'
import { scratchDir } from '../support/scratch.ts'

describe('environment', () => {
  it('knows secrets by their names', () => {
    const secret = [
      'GITHUB_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'DB_PASSWORD',
      'OPENAI_API_KEY',
      'DATABASE_URL',
      'SENTRY_DSN',
      'npm_config__authToken',
      'CI_PAT',
    ]
    const open = ['PATH', 'LANG', 'EDITOR', 'NODE_ENV', 'VIRTUAL_ENV', 'KEYBOARD', 'MONKEY']
    expect(secret.filter((name) => !isSecretName(name))).toEqual([])
    expect(open.filter(isSecretName)).toEqual(['KEYBOARD'])
  })

  it('hands on the rest, without doors to the host and addresses with passwords', () => {
    const user = {
      NODE_ENV: 'test',
      SSH_AUTH_SOCK: '/x',
      LD_PRELOAD: 'x',
      GIT_DIR: 'x',
      BASH_ENV: 'x',
      PROXY: 'http://u:p@h',
      OTHER: 'http://h:80/',
    }
    expect(commandEnvironment(user, { path: ['/bin'], home: '/home/u' })).toEqual({
      NODE_ENV: 'test',
      OTHER: 'http://h:80/',
      PATH: '/bin',
      HOME: '/home/u',
      TMPDIR: '/tmp',
    })
  })

  it('keeps the project out of PATH', () => {
    expect(pathOutside('/usr/bin:/proj/bin:relative::/proj:/projx:/usr/bin', ['/proj'])).toEqual(['/usr/bin', '/projx'])
  })
})

describe('the config of the clean room', () => {
  it('takes over plain values and no program', () => {
    const config = plainConfig(`[core]
	filemode = false
	fsmonitor = /tmp/evil
	pager = evil
	autocrlf = input
	hooksPath = x
[include]
	path = ../evil
[diff "x"]
	command = evil
[filter "x"]
	clean = evil
[branch "main"]
	remote = origin
	merge = refs/heads/main
[remote "origin"]
	url = ext::evil
	uploadpack = evil
	fetch = +refs/heads/*:refs/remotes/origin/*
[core] fsmonitor = evil
[extensions]
	objectFormat = sha256
`)
    expect(config).not.toMatch(/evil|path|url/)
    expect(config).toContain('filemode = false')
    expect(config).toContain('autocrlf = input')
    expect(config).toContain('[branch "main"]\n\tmerge = refs/heads/main')
    expect(config).toContain('objectFormat = sha256')
  })
})

describe('a survey', () => {
  const isClosed = (name: string): boolean => name.endsWith('.env')

  it('finds what is closed, second names included', () => {
    const dir = scratchDir({
      '.env': 'x',
      'src/a.txt': 'a',
      'src/b.txt': 'b',
      'node_modules/p/.env': 'y',
      '.git/config': '',
    })
    const elsewhere = scratchDir({ 's.txt': 's' })
    fs.linkSync(path.join(dir, '.env'), path.join(dir, 'second'))
    fs.linkSync(path.join(elsewhere, 's.txt'), path.join(dir, 'src/out'))
    fs.linkSync(path.join(dir, 'src/a.txt'), path.join(dir, 'src/twin'))
    const { closed, repositories } = surveyOf(dir, isClosed)
    expect(closed.map(({ path: name }) => name).toSorted()).toEqual(['.env', 'second', 'src/out'])
    expect(repositories).toEqual(['.git'])
  })

  it('sees a change that hides its time', () => {
    const dir = scratchDir({ 'a.txt': 'one', 'b.txt': 'two' })
    const before = surveyOf(dir, isClosed)
    const { atime, mtime } = fs.statSync(path.join(dir, 'a.txt'))
    fs.writeFileSync(path.join(dir, 'a.txt'), 'eno')
    fs.utimesSync(path.join(dir, 'a.txt'), atime, mtime)
    fs.rmSync(path.join(dir, 'b.txt'))
    fs.writeFileSync(path.join(dir, 'c.txt'), '')
    expect(changesBetween(before, surveyOf(dir, isClosed))).toEqual([
      { path: 'a.txt', change: 'modify' },
      { path: 'b.txt', change: 'delete' },
      { path: 'c.txt', change: 'create' },
    ])
  })

  it('stops at its bound and says so', () => {
    const dir = scratchDir({ 'a.txt': '', 'b.txt': '', 'c.txt': '' })
    expect(surveyOf(dir, isClosed, 2)).toMatchObject({ whole: false })
  })
})
