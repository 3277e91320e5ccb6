import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandEnvironment } from '../../src/process/environment.ts'
import { blockedIn, blockedNow } from '../../src/process/blocked-index.ts'
import { plainConfig } from '../../src/process/isolated-git-dir.ts'
import { pathOutside } from '../../src/process/programs.ts'
import { changesBetween, surveyOf } from '../../src/process/survey.ts'
import { scratchDir } from '../support/scratch.ts'

describe('environment', () => {
  const facts = { path: ['/bin'], home: '/home/u', network: false, more: [] }
  // Windows needs more of them.
  const own =
    process.platform === 'win32' ? commandEnvironment({}, facts) : { PATH: '/bin', HOME: '/home/u', TMPDIR: '/tmp' }

  it('hands on what is on the list and nothing else', () => {
    const secrets = ['MYSQL_PWD', 'STRIPE_SK', 'PAT_GITHUB', 'LDAP_BINDPW', 'GITHUB_TOKEN', 'X']
    const loaders = ['NODE_OPTIONS', 'LD_PRELOAD', 'PYTHONSTARTUP', 'BASH_ENV', 'PYTHONPATH', 'GIT_DIR', 'RUBYOPT']
    const doors = ['SSH_AUTH_SOCK', 'DOCKER_HOST', 'XDG_RUNTIME_DIR', 'DISPLAY', 'MAKEFLAGS', 'MAKEFILES']
    const user = Object.fromEntries([...secrets, ...loaders, ...doors].map((name) => [name, 'x']))
    expect(commandEnvironment({ ...user, NODE_ENV: 'test', LC_ALL: 'C' }, facts)).toEqual({
      ...own,
      NODE_ENV: 'test',
      LC_ALL: 'C',
    })
  })

  it('hands on what the user added, and proxies only with the network', () => {
    const user = { MY_SETTING: '1', HTTPS_PROXY: 'http://h:80', HTTP_PROXY: 'http://u:p@h', LANG: 'http://u@h' }
    expect(commandEnvironment(user, { ...facts, more: ['MY_SETTING'] })).toEqual({ ...own, MY_SETTING: '1' })
    expect(commandEnvironment(user, { ...facts, network: true })).toEqual({ ...own, HTTPS_PROXY: 'http://h:80' })
  })

  it('keeps the project out of PATH', () => {
    const list = ['/usr/bin', '/proj/bin', 'relative', '', '/proj', '/projx', '/usr/bin'].join(path.delimiter)
    expect(pathOutside(list, ['/proj'])).toEqual(['/usr/bin', '/projx'])
  })
})

describe('the config of an isolated git directory', () => {
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
  const isBlocked = (name: string): boolean => name.endsWith('.env')

  it('finds what is blocked, second names included', () => {
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
    const { blocked, repositories } = blockedNow(dir, isBlocked)
    expect(blocked.map(({ path: name }) => name).toSorted()).toEqual([
      '.env',
      'node_modules/p/.env',
      'second',
      'src/out',
    ])
    expect(repositories).toEqual(['.git'])
  })

  it('sees a change that hides its time', () => {
    const dir = scratchDir({ 'a.txt': 'one', 'b.txt': 'two' })
    const before = surveyOf(dir, isBlocked)
    const { atime, mtime } = fs.statSync(path.join(dir, 'a.txt'))
    fs.writeFileSync(path.join(dir, 'a.txt'), 'eno')
    fs.utimesSync(path.join(dir, 'a.txt'), atime, mtime)
    fs.rmSync(path.join(dir, 'b.txt'))
    fs.writeFileSync(path.join(dir, 'c.txt'), '')
    expect(changesBetween(before, surveyOf(dir, isBlocked))).toEqual([
      { path: 'a.txt', change: 'modify' },
      { path: 'b.txt', change: 'delete' },
      { path: 'c.txt', change: 'create' },
    ])
  })
})

describe('the list of blocked files', () => {
  const isBlocked = (name: string): boolean => /(^|\/)\.env$/.test(name)
  const names = (dir: string): string[] =>
    blockedIn(dir, isBlocked, ['.env'])
      .blocked.map(({ path: name }) => name)
      .toSorted()

  it('has files at any depth, whatever the directory is called, and is right after every change', async () => {
    const dir = scratchDir({
      'src/.env': '',
      'node_modules/a/.env': '',
      'target/.env': '',
      '.venv/x/.env': '',
      '.git/.env': '',
    })
    const first = ['.venv/x/.env', 'node_modules/a/.env', 'src/.env', 'target/.env']
    expect(names(dir)).toEqual(first)
    await new Promise((done) => setTimeout(done, 100))
    expect(names(dir)).toEqual(first)
    expect(names(dir)).toEqual(first)
    fs.writeFileSync(path.join(dir, 'node_modules/.env'), '')
    fs.rmSync(path.join(dir, 'src/.env'))
    expect(names(dir)).toEqual(['.venv/x/.env', 'node_modules/.env', 'node_modules/a/.env', 'target/.env'])
    fs.renameSync(path.join(dir, 'node_modules'), path.join(dir, 'modules'))
    expect(names(dir)).toEqual(['.venv/x/.env', 'modules/.env', 'modules/a/.env', 'target/.env'])
  })

  it('has second names that came later, and no file with two open names', async () => {
    const dir = scratchDir({ '.env': 'x', 'a/one.txt': '1', 'b/two.txt': '2' })
    const elsewhere = scratchDir({ 's.txt': 's' })
    await new Promise((done) => setTimeout(done, 100))
    expect(names(dir)).toEqual(['.env'])
    fs.linkSync(path.join(dir, '.env'), path.join(dir, 'a/second'))
    expect(names(dir)).toEqual(['.env', 'a/second'])
    fs.linkSync(path.join(elsewhere, 's.txt'), path.join(dir, 'b/out'))
    fs.linkSync(path.join(dir, 'a/one.txt'), path.join(dir, 'b/twin'))
    expect(names(dir)).toEqual(['.env', 'a/second', 'b/out'])
  })
})
