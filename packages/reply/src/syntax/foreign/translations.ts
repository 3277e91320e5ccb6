/**
 * Words of the lines above a fence in the languages that people write to models in, besides English. Only labels: "Datei: a.ts",
 * "文件：a.ts", "Étape 2 : a.ts", "a.ts（示例）". What a whole sentence says is known in English alone.
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
