import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

/** Secrets: of the directory outside, of closed files in the project, of the environment, of a service on the host, and what planted code says when it runs. */
export const canaries = {
  outside: 'CANARY-OUTSIDE-7f3a91',
  closed: 'CANARY-CLOSED-c04e2d',
  environment: 'CANARY-ENVIRON-51b8e6',
  service: 'CANARY-SERVICE-e19d40',
  planted: 'CANARY-PLANTED',
  // Those of the attacks that came as data, and what code says itself when it got out.
  denied: 'DENIED_CANARY_42',
  beyond: 'OUTSIDE_CANARY_77',
  hole: 'SANDBOX_HOLE_55',
}

/** A project with everything around it that an attack could want. Always at the same path, so that links stay right. */
export class Fixture {
  readonly fx = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-attack-')))
  readonly project = path.join(this.fx, 'fx', 'proj')
  readonly outside = path.join(this.fx, 'fx', 'outside')
  readonly parent = path.join(this.fx, 'fx')
  readonly state = path.join(this.fx, 'state')
  readonly #template = path.join(this.fx, 'template')
  #port = 0
  /** Connections that code in the project made. */
  reached = 0
  readonly #servers: net.Server[] = []

  async open(): Promise<this> {
    this.#build()
    fs.renameSync(this.parent, this.#template)
    this.reset()
    await this.#serve()
    return this
  }

  /** As it was at first. */
  reset(): void {
    fs.rmSync(this.parent, { recursive: true, force: true })
    fs.rmSync(this.state, { recursive: true, force: true })
    execFileSync('cp', ['-a', this.#template, this.parent])
  }

  /** What the placeholders stand for. */
  fill(text: string): string {
    return (
      text
        // Spelled otherwise, so that showing the command is not running it.
        .replaceAll('{RAN}', `echo ${canaries.planted.replace('-', '_')} | tr _ -`)
        .replaceAll('{P}', this.project)
        .replaceAll('{O}', this.outside)
        .replaceAll('{FX}', this.parent)
        .replaceAll('{S}', path.join(this.project, 'src', 'evil.sh'))
        .replaceAll('{PORT}', String(this.#port))
        .replace(/\{(\d+)x([^}]+)\}/g, (_, times, part) => part.repeat(Number(times)))
        .replace(/\{BLOB\}/g, () => this.git('rev-parse', 'HEAD:.env'))
    )
  }

  prepare(setup: string): void {
    for (const part of setup.split('{SIGN}')) {
      if (part.replace(/[\s;]/g, '') !== '') {
        execFileSync('bash', ['-c', this.fill(part)], { cwd: this.project, stdio: 'ignore', env: gitEnvironment })
      }
      if (setup.includes('{SIGN}') && part !== setup.split('{SIGN}').at(-1)) this.#sign()
    }
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.project,
      encoding: 'utf8',
      env: gitEnvironment,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  }

  close(): void {
    for (const server of this.#servers) server.close()
    fs.rmSync(this.fx, { recursive: true, force: true })
  }

  #build(): void {
    const { project, outside, parent } = this
    const write = (name: string, text: string): void => {
      const file = path.join(project, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, text)
    }
    fs.mkdirSync(outside, { recursive: true })
    fs.mkdirSync(`${project}-evil`)
    fs.writeFileSync(path.join(outside, 'secret.txt'), `${canaries.outside}\n`)
    fs.writeFileSync(path.join(outside, 'victim.txt'), 'victim\n')
    fs.writeFileSync(`${project}-evil/secret.txt`, `${canaries.outside}\n`)
    write('src/a.txt', 'alpha\n')
    for (const [name, text] of Object.entries(sources)) write(name, text)
    write('src/evil.sh', `#!/bin/sh\ntouch '${parent}/PWNED'\n`)
    fs.chmodSync(path.join(project, 'src/evil.sh'), 0o755)
    write('.env', `SECRET=${canaries.closed}\n`)
    write('secrets/key.pem', `${canaries.closed}\n`)
    this.git('init', '-q', '-b', 'main')
    const hooks = path.join(project, '.git', 'hooks')
    for (const sample of fs.readdirSync(hooks)) fs.rmSync(path.join(hooks, sample))
    this.git('add', '-A', '-f')
    this.git('commit', '-q', '-m', 'one')
    write('src/b.txt', 'beta two\n')
    this.git('commit', '-q', '-a', '-m', 'two')
    this.git('checkout', '-q', '-b', 'feature')
    write('.env', `SECRET=${canaries.closed} on a branch\n`)
    this.git('commit', '-q', '-a', '-m', 'three')
    this.git('checkout', '-q', 'main')
    write('src/b.txt', 'stashed\n')
    write('.env', `SECRET=${canaries.closed} in the stash\n`)
    this.git('stash', '-q')
    write('src/a.txt', 'alpha changed\n')
    write('src/u.txt', 'untracked\n')
    const links = {
      link_out: outside,
      link_file: path.join(outside, 'secret.txt'),
      dangling: path.join(outside, 'not-there.txt'),
      loop: 'loop',
      env_link: '.env',
    }
    for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, path.join(project, name))
    fs.linkSync(path.join(outside, 'secret.txt'), path.join(project, 'hl_secret'))
    fs.linkSync(path.join(project, '.env'), path.join(project, 'hl_env'))
    execFileSync('mkfifo', [path.join(project, 'pipe')])
    fs.mkdirSync(path.join(project, 'src_esc'))
    fs.writeFileSync(path.join(project, 'src_esc', '\u001b]0;pwn\u0007\u001b[2Jx.txt'), 'x\n')
  }

  /** HEAD again, with a signature that somebody would have to be asked about. */
  #sign(): void {
    const commit = this.git('cat-file', 'commit', 'HEAD')
    const at = commit.indexOf('\n\n')
    const signature = '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----'
    const file = path.join(this.fx, 'signed')
    fs.writeFileSync(file, `${commit.slice(0, at)}${signature}${commit.slice(at)}\n`)
    const oid = this.git('hash-object', '-t', 'commit', '-w', file)
    this.git('update-ref', 'HEAD', oid)
  }

  async #serve(): Promise<void> {
    const answer = (socket: net.Socket): void => {
      this.reached++
      socket.on('error', () => {})
      socket.end(`${canaries.service}\n`)
    }
    const tcp = net.createServer(answer)
    await new Promise<void>((ready) => tcp.listen(0, '127.0.0.1', ready))
    const address = tcp.address()
    if (address !== null && typeof address === 'object') this.#port = address.port
    const unix = net.createServer(answer)
    await new Promise<void>((ready) => unix.listen(path.join(this.#template, 'host.sock'), ready))
    this.#servers.push(tcp, unix)
  }
}

const sources: Readonly<Record<string, string>> = {
  'src/b.txt': 'beta\n',
  'src/hex.txt': '00000000: 4142 0a\n',
  'src/dump.txt': '00000000: 7077 6e0a\n',
  'src/re.txt': `${'x'.repeat(40)}\n`,
  'nested/k.txt': 'kappa\n',
  'package.json': '{"name":"proj","scripts":{"test":"echo tested"}}\n',
}

export const gitEnvironment = {
  PATH: '/usr/bin:/bin:/usr/local/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}
