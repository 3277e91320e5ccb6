import { lookUp } from '@clada/reply/core/look-up.ts'

/** The encodings that a file may be declared to have, by their names in the WHATWG standard. UTF-7 is none of them. */
export const encodingNames = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
] as const

export type EncodingName = (typeof encodingNames)[number]

/** Other spellings, as .editorconfig and git have them. */
const spellings: Readonly<Record<string, EncodingName>> = {
  utf8: 'utf-8',
  'utf-8-bom': 'utf-8',
  latin1: 'iso-8859-1',
  'iso-8859-9': 'windows-1254',
  'utf-16le-bom': 'utf-16le',
  'utf-16be-bom': 'utf-16be',
  cp1250: 'windows-1250',
  cp1251: 'windows-1251',
  cp1252: 'windows-1252',
  sjis: 'shift_jis',
  'shift-jis': 'shift_jis',
  cp932: 'shift_jis',
  gb2312: 'gbk',
  cp936: 'gbk',
  cp949: 'euc-kr',
}

/** The encoding that a declaration means; undefined for one that is not known. */
export function encodingNamed(given: string): EncodingName | undefined {
  const name = given.trim().toLowerCase()
  return encodingNames.find((one) => one === name) ?? lookUp(spellings, name)
}
