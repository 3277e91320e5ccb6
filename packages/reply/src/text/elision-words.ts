/** What is in every text that leaves lines out. Most texts have none of the words, which are found faster one by one. */
export function mayElide(text: string): boolean {
  const lower = text.toLowerCase()
  if (words.some((word) => lower.includes(word)) && together.test(lower)) return true
  if (translated.some((word) => lower.includes(word))) return true
  return NOT_ASCII.test(lower) && otherScripts.some((word) => lower.includes(word))
}

const words = [
  '...',
  '\u2026',
  'rest of',
  'unchanged',
  'same',
  'snip',
  'existing',
  'previous',
  'remain',
  'original',
  'stay',
  'as is',
  'as before',
  'omitted',
  'keep ',
]
const together =
  /\.{3}|\u2026|rest of|unchanged|\bsame\b|\bsnip\b|\b(?:existing|previous|remaining|original)\s+\w|\b(?:stay|remain)s?\b|\bas (?:is|before)\b|\bomitted\b|\bkeep (?:everything|all|the rest)\b/

const translated = [
  ...['unverändert', 'gleich', 'identi', 'wie bisher', 'wie zuvor', 'wie vorher', 'wie gehabt', 'estliche', 'übrige'],
  ...['bestehende', 'vorhandene', 'bisherige', 'inchang', 'reste du', 'ne change', 'comme avant', 'existant'],
  ...['sin cambios', 'existente', 'resto d', 'igual', 'cambia', 'se mantiene', 'permanece', 'sem altera', 'inalterad'],
  ...['restante', 'mantém', 'esistente', 'invariat', 'uguale', 'come prima'],
]
const NOT_ASCII = /[^\0-\x7f]/
const otherScripts = [
  ...['其余', '其他', '其它', '剩余', '余下', '原有', '现有', '已有', '之前', '以上', '以下', '前面', '后面', '其餘'],
  ...['剩餘', '現有', '後面', '不变', '不變', '保持', '省略', '保留', '同上', '中略', '既存', '残り', '他の', 'その他'],
  ...['前の', '変更なし', '나머지', '기존', '이전', '생략', 'остальн', 'существующ', 'прежн', 'без изменений'],
]
