/**
 * Words of the lines above a fence in the languages that people write to models in, besides English. Only labels: "Datei: a.ts",
 * "文件：a.ts", "Étape 2 : a.ts", "a.ts（示例）", and orders: "Ersetzen Sie in `a.ts` die Funktion durch:". What other sentences say
 * is known in English alone.
 */

const file =
  'datei(?:name|pfad)?|pfad|fichier|nom du fichier|chemin|archivo|fichero|nombre del (?:archivo|fichero)|ruta|arquivo|ficheiro|nome do arquivo|caminho|nome del file|percorso|bestand(?:snaam)?|plik|soubor|fil(?:namn|navn)|tiedosto|dosya|файл|имя файла|путь(?: к файлу)?|文件(?:名|路径)?|路径|檔案(?:名稱|路徑)?|路徑|ファイル(?:名|パス)?|파일(?:명| 이름| 경로)?|경로|ملف|tệp'
const changed =
  'neue|ge[äa]nderte|aktualisierte|nouveau|nuevo|novo|nuovo|nowy|nieuw|новый|обновл[её]нный|изменённый|新建?|修改|更新|创建|新規|変更|수정|새'
const changedAfter =
  'neu|ge[äa]ndert|aktualisiert|modifié|complet|modificado|actualizado|completo|nuevo|atualizado|novo|modificato|nuovo'
const step = 'schritt|étape|paso|passo|stap|krok|шаг|步骤|步驟|手順|ステップ|단계'

/** "Datei", with its colon or before a name in quotes. Made when it is needed: the tables for \p{…} cost a start. */
export const fileLabel = (): RegExp =>
  new RegExp(
    `^(?:(?:${changed})\\s*)?(?:${file})(?:\\s+(?:${changedAfter}))?(?:\\s*[:：=]\\s*|\\s*(?=[\`*"']))(?<name>.+)$`,
    'iu',
  )

export const stepLabel = (): RegExp => new RegExp(`^(?:${step})\\s*\\d+\\s*[:：.–—-]\\s*(?<name>\\S.*)$`, 'iu')

/** Without the ends of words, which Chinese and Japanese do not mark. */
export const exampleWords =
  /beispiel|exemple|ejemplo|exemplo|esempio|voorbeeld|przykład|örnek|пример|示例|例如|例子|範例|サンプル|예시|예제/i
export const oldWords =
  /\b(?:aktuell|bisher|vorher|actuel|avant|ancien|actual|antes|anterior|attuale|prima)|текущ|старый|прежн|原来|原始|修改前|当前|现有|之前|旧|変更前|修正前|現在|既存|元の|기존|현재|이전/i
export const lineWords =
  /\b(?:zeilen?|auszug|lignes?|extrait|l[ií]neas?|fragmento|linhas?|trecho|righe|estratto)\b|строк|фрагмент|\d\s*行|片段|抜粋|발췌/i

/**
 * Whether a sentence is an order to change a file, which is § in it: `made` if to create it. Only forms of verbs that nothing
 * else has: "actualiza" is an order, and says what a function does. A reader is asked before anything is done.
 */
export function readOrder(sentence: string): 'changed' | 'made' | undefined {
  if (!/[:：。]\W*$/u.test(sentence) || ONLY_POSSIBLE.test(sentence)) return undefined
  const { change, make } = (orders ??= { change: ordersOf(changes, changesInCjk), make: ordersOf(makes, makesInCjk) })
  if (make.some((order) => order.test(sentence))) return 'made'
  return change.some((order) => order.test(sentence)) ? 'changed' : undefined
}

/** Made when they are needed. */
let orders: { readonly change: readonly RegExp[]; readonly make: readonly RegExp[] } | undefined

/** The verb comes first, or after the file. */
function ordersOf(verbs: string, inCjk: string): RegExp[] {
  const start = String.raw`^(?:(?:\d+[.)]|(?:${leads})(?![\p{L}])),?\s*)*`
  return [`${start}(?:${verbs})(?!\\p{L})(?=.*§)`, `${start}(?:${inside})\\s+§,?\\s+(?:${verbs})(?!\\p{L})`, inCjk].map(
    (pattern) => new RegExp(pattern, 'iu'),
  )
}

const leads =
  "bitte|nun|jetzt|dann|danach|anschließend|zuerst|zunächst|schließlich|ensuite|puis|d'abord|maintenant|enfin|luego|después|ahora|primero|finalmente|por favor|depois|agora|primeiro|em seguida|por fim|затем|теперь|сначала|потом|далее|наконец|пожалуйста"
const inside =
  '(?:in|dans|en|em|no|в)(?: (?:der|die|das|le|la|el|o|a))?(?: (?:datei|fichier|archivo|fichero|arquivo|ficheiro|файле))?'
const changes =
  'ersetzen? sie|ersetze|ändern sie|ändere|aktualisieren sie|aktualisiere|fügen sie|füge|passen sie|bearbeiten sie|bearbeite|korrigieren sie|korrigiere|überschreiben sie|ergänzen sie|ergänze|remplacez|remplace|modifiez|modifie|mettez à jour|mets à jour|ajoutez|ajoute|changez|corrigez|insérez|reemplace|reemplaza|sustituya|sustituye|modifique|actualice|agregue|añada|cambie|corrija|inserte|substitua|altere|atualize|adicione|acrescente|insira|замените|замени|измените|измени|обновите|обнови|добавьте|добавь|исправьте|исправь|вставьте'
const makes = 'erstellen sie|erstelle|legen sie|créez|crée|cree|crie|создайте|создай'
const [leadInChinese, please] = [
  '(?:(?:首先|然后|接着|接下来|最后|现在|其次)[，,]?\\s*)?请?\\s*',
  '(?:ください|下さい|ましょう)',
]
const changesInCjk = `^${leadInChinese}(?:(?:将|把)(?=.*§)[^。了]*(?:替换|修改|更改|改|更新)[为成]|在\\s*§[^。了]*(?:添加|加入|增加|插入|替换|修改|更新)|(?:修改|更新|替换)[^。了]*§)[^。了]{0,20}$|§[^。]*(?:置き換え|置換し|変更し|修正し|更新し|追加し|書き換え)て${please}[:：。]?\\s*$`
const makesInCjk = `^${leadInChinese}(?:创建|新建)[^。了]*§[^。了]{0,20}$|§[^。]*作成して${please}[:：。]?\\s*$`

const ONLY_POSSIBLE =
  /(?<!\p{L})(?:k[oö]nn\p{L}*|kann|falls|wenn|vielleicht|optional\p{L}*|alternativ\p{L}*|beispiel\p{L}*|z\.\s?b|etwa|nicht|keine?\p{L}?|peu[tx]\p{L}*|pourr\p{L}*|si|exemple|pas|jamais|puede\p{L}*|podría\p{L}*|ejemplo|quizás?|no(?!\s+§)|nunca|se|caso|exemplo|talvez|pode\p{L}*|não|opcional\p{L}*|если|можно|например|не|может|возможно|либо)(?!\p{L})|可以|如果|例如|比如|或许|也许|可能|不要|建议|考虑|若|例えば|場合|もし|できます/iu
