import os from 'node:os'
import path from 'node:path'

/** Where clada keeps what it knows, and where the user says what holds: neither is a document's business. */
export const stateHome = (): string => inHome('XDG_STATE_HOME', path.join('.local', 'state'))
export const configHome = (): string => inHome('XDG_CONFIG_HOME', '.config')

function inHome(variable: string, usual: string): string {
  const given = process.env[variable]
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(os.homedir(), usual)
  return path.join(base, 'clada')
}
