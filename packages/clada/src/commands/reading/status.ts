import type { FileStat } from '../../core/files.ts'

/** Type and permissions as `ls -l` shows them. */
export function modeText({ mode }: Pick<FileStat, 'mode'>): string {
  const letters = [...'rwxrwxrwx'].map((letter, at) => (((mode >> (8 - at)) & 1) === 1 ? letter : '-'))
  const special = (bit: number, at: number, letter: string): void => {
    if ((mode & bit) !== 0) letters[at] = letters[at] === 'x' ? letter : letter.toUpperCase()
  }
  special(0o4000, 2, 's')
  special(0o2000, 5, 's')
  special(0o1000, 8, 't')
  const type = typeLetter({ mode })
  return (type === 'f' ? '-' : type) + letters.join('')
}

/** The type as `find -type` has it. */
export const typeLetter = ({ mode }: Pick<FileStat, 'mode'>): string => types[mode & 0o170000]?.[0] ?? '?'

export const typeName = ({ mode, size }: Pick<FileStat, 'mode' | 'size'>): string => {
  const [letter = '?', name = 'weird file'] = types[mode & 0o170000] ?? []
  return letter === 'f' && size === 0 ? 'regular empty file' : name
}

const types: Readonly<Record<number, readonly [letter: string, name: string]>> = {
  0o100000: ['f', 'regular file'],
  0o040000: ['d', 'directory'],
  0o120000: ['l', 'symbolic link'],
  0o010000: ['p', 'fifo'],
  0o140000: ['s', 'socket'],
  0o060000: ['b', 'block special file'],
  0o020000: ['c', 'character special file'],
}

/** What `-F` puts after a name. */
export function typeMark(stat: Pick<FileStat, 'mode'>): string {
  const letter = typeLetter(stat)
  if (letter === 'f') return (stat.mode & 0o111) === 0 ? '' : '*'
  return marks[letter] ?? ''
}

const marks: Readonly<Record<string, string>> = { d: '/', l: '@', p: '|', s: '=' }

/** With a letter for the unit, rounded up, as `-h` shows it. */
export function shortSize(size: number): string {
  if (size < 1024) return String(size)
  let power = Math.min(4, Math.floor(Math.log2(size) / 10))
  let value = size / 1024 ** power
  if (Math.ceil(value) >= 1024 && power < 4) {
    power++
    value = 1
  }
  return `${value < 10 && Math.ceil(value * 10) < 100 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value)}${' KMGT'.charAt(power)}`
}

/** Names may hold what drives a terminal. */
export const printable = (name: string): string => name.replace(/[\p{Cc}\p{Cf}]/gu, '?')
