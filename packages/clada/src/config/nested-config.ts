import { type KeyName, type KeyValues, keyNames } from './keys.ts'

/** Keys that contain others, and the one that a plain value is for. */
export const groups: Readonly<Record<string, { readonly short?: string }>> = Object.fromEntries(
  [...new Set(keyNames.filter((name) => name.includes('.')).map((name) => name.slice(0, name.indexOf('.'))))].map(
    (name) => [name, name === 'git' || name === 'exec' ? { short: 'mode' } : {}],
  ),
)

/** The effective values, as they are nested in a file. */
export type Config = {
  readonly [name in KeyName as name extends `${infer G}.${string}` ? G : name]: name extends `${infer G}.${string}`
    ? { readonly [inner in KeyName as inner extends `${G}.${infer Rest}` ? Rest : never]: KeyValues[inner] }
    : KeyValues[name]
}

export function nestValues(values: KeyValues): Config {
  const config: Record<string, unknown> = {}
  for (const name of keyNames) {
    const [group = '', inner] = name.split('.')
    if (inner === undefined) config[group] = values[name]
    else config[group] = { ...(config[group] as object | undefined), [inner]: values[name] }
  }
  return config as Config
}
