/** What chat programs do to text, each as a function of one line. */

export type LineDamage = (line: string) => string

const html: LineDamage = (line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const curly: LineDamage = (line) =>
  line
    .replace(/(^|[\s([{<=])"/g, '$1\u201c')
    .replaceAll('"', '\u201d')
    .replace(/(^|[\s([{<=])'/g, '$1\u2018')
    .replaceAll("'", '\u2019')

const dashed: LineDamage = (line) =>
  line.replaceAll('---', '\u2014').replaceAll('--', '\u2013').replaceAll('...', '\u2026')

/** Changes characters of a line: content that goes through it cannot be told from content that did not. */
export const lineDamages: Readonly<Record<string, LineDamage>> = {
  'no-break-spaces': (line) => line.replaceAll(' ', '\xa0'),
  'no-break-indent': (line) =>
    line.replace(/^ +/, (blanks) => '\xa0'.repeat(blanks.length)).replace(/ (?=\S*$)/, '\xa0'),
  'thin-spaces': (line) => line.replaceAll(' ', '\u2009'),
  'zero-width-start': (line) => (line === '' ? '' : `\u200b${line}`),
  'zero-width-end': (line) => (line === '' ? '' : `${line}\u200b`),
  'zero-width-inside': (line) => line.replace(/(?<=[_:!])/g, '\u200b'),
  'byte-order-marks': (line) => (line === '' ? '' : `\ufeff${line}`),
  'soft-hyphens': (line) => line.replace(/(?<=[a-zA-Z]{2})(?=[a-zA-Z]{2})/g, '\xad'),
  'direction-marks': (line) => (line === '' ? '' : `\u200e${line}\u202c`),
  'curly-quotes': curly,
  'smart-punctuation': (line) => dashed(curly(line)).replaceAll('<<', '\xab').replaceAll('>>', '\xbb'),
  entities: html,
  'entities-and-quotes': (line) => html(line).replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  'entities-nbsp': (line) => html(line).replaceAll('  ', ' &nbsp;').replace(/^ /, '&nbsp;'),
  'backslashes-all': (line) => line.replace(/[\\`*_{}[\]<>()#+\-.!|~]/g, '\\$&'),
  'backslashes-some': (line) => line.replace(/[\\_*[\]<#]/g, '\\$&'),
  'backslashes-underscores': (line) => line.replace(/[_*]/g, '\\$&'),
  'spaces-and-quotes': (line) => curly(line).replaceAll(' ', '\xa0'),
  'entities-and-zero-width': (line) => html(line).replace(/(?<=[;_])/g, '\u200b'),
  'hard-breaks': (line) => (line === '' ? '' : `${line}  `),
}

const eachLine = (damage: LineDamage) => (text: string) => text.split('\n').map(damage).join('\n')
const behind = (prefix: string) => eachLine((line) => (line === '' ? prefix.trimEnd() : prefix + line))

/** Changes the text as a whole, in a way that leaves no doubt about what it was. */
export const textDamages: Readonly<Record<string, (text: string) => string>> = {
  quoted: behind('> '),
  'quoted-twice': behind('> > '),
  'quoted-with-author': (text) => `On Monday the model wrote:\n\n${behind('> ')(text)}`,
  'quoted-tight': behind('>'),
  'in-a-list': eachLine((line) => (line === '' ? '' : `   ${line}`)),
  'indented-by-a-tab': eachLine((line) => (line === '' ? '' : `\t${line}`)),
  crlf: (text) => text.replaceAll('\n', '\r\n'),
  'no-final-newline': (text) => text.trimEnd(),
  'in-a-fence': (text) => `\`\`\`sham\n${text}\`\`\`\n`,
  'in-a-fence-of-four': (text) => `\`\`\`\`\n${text}\`\`\`\`\n`,
  'in-tildes': (text) => `~~~text\n${text}~~~\n`,
  'copy-code': (text) => `bash\nCopy code\n${text}`,
}

/** The text with some of its lines damaged. Lines count from 1. */
export const damageLines = (text: string, damage: LineDamage, which: (line: number) => boolean): string =>
  text
    .split('\n')
    .map((line, i) => (which(i + 1) ? damage(line) : line))
    .join('\n')
