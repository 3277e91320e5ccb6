import type { Block } from '../core/block.ts'

/** Whether a block names such a path. In the format of another tool it explains that format, unless the file exists. */
export const namesPlaceholder = ({ params }: Pick<Block, 'params'>): boolean =>
  [params['path'], params['old_path'], params['new_path']].some((name) => name !== undefined && isPlaceholder(name))

/** Whether a path is one that explanations use for any file. Most names have no word of one, so that no pattern is compiled. */
export const isPlaceholder = (name: string): boolean => PLACES.test(name) && PLACEHOLDER.test(name.toLowerCase())

/** As much of a path, from its beginning, as makes it a placeholder: `path/to` of `path/to/a.ts`. */
export function findPlaceholder(name: string): string | undefined {
  if (!isPlaceholder(name)) return undefined
  const parts = name.split('/')
  const length = parts.findIndex((_, at) => isPlaceholder(parts.slice(0, at + 1).join('/')))
  return parts.slice(0, length + 1).join('/')
}

const PLACES = /path|file|name|your|foo|bar|\.{3}|…/i

const PLACEHOLDER = new RegExp(
  [
    String.raw`(?:^|[\\/])path[\\/]to(?:[\\/]|$)`,
    String.raw`(?:^|[\\/])(?:\.{3}|…)(?:[\\/]|$)`,
    String.raw`(?:^|[\\/])your[-_](?:file|path|project|app|script|module|dir|directory|folder)(?:[-_.\\/]|$)`,
    String.raw`^file[-_]?(?:path|name)(?:\.ext(?:ension)?)?$`,
    String.raw`^[<{][\w ./-]*(?:file|path|name)[\w ./-]*[>}]$`,
    String.raw`(?:^|[\\/])(?:file(?:name)?|foo|bar)\.(?:ext|xyz)$`,
  ].join('|'),
)
