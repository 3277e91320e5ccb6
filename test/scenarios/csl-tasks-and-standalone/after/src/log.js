export const log = (text) => process.stderr.write(`${text}\n`)
