import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** What proves to an X server that this is its user; empty where the server asks for nothing. */
export function cookieFor(display: string, env: NodeJS.ProcessEnv): Buffer {
  try {
    return cookieIn(fs.readFileSync(env['XAUTHORITY'] ?? path.join(os.homedir(), '.Xauthority')), display)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Entries of a family and four fields: address, display, kind, secret. Each field follows its length, big-endian. */
function cookieIn(bytes: Buffer, display: string): Buffer {
  let at = 0
  const field = (): Buffer => {
    const start = at + 2
    at = start + bytes.readUInt16BE(at)
    return bytes.subarray(start, at)
  }
  const found: { host: string; secret: Buffer }[] = []
  while (at < bytes.length) {
    at += 2
    const [host, number, kind, secret] = [field(), field(), field(), field()].map((one) => one.toString('latin1'))
    const fits = (number === '' || number === display) && kind === 'MIT-MAGIC-COOKIE-1'
    if (fits) found.push({ host: host ?? '', secret: Buffer.from(secret ?? '', 'latin1') })
  }
  const own = found.find(({ host }) => host === os.hostname()) ?? found[0]
  return own?.secret ?? Buffer.alloc(0)
}
