import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startNamed } from '../process/programs.ts'
import { typedLine } from './ask.ts'
import { canAsk } from './streams.ts'
import { UsageError } from './flags.ts'
import type { Reviewer } from './review.ts'

/** The person at the terminal, who is asked line by line and edits with their own editor. @throws UsageError */
export function terminalReviewer(): Reviewer {
  if (!canAsk())
    throw new UsageError('--review asks at a terminal, and there is none here. Run it in one, or use clada ui.')
  return {
    tell: (lines) => void process.stderr.write(lines.map((line) => `${line}\n`).join('')),
    ask: typedLine,
    edit: edited,
  }
}

/** Edits a text in a file of its own that is called like the one it belongs to, so that editors know its language. */
async function edited(text: string, name: string): Promise<{ readonly text: string } | { readonly why: string }> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-review-'))
  const file = path.join(dir, path.basename(name))
  try {
    fs.writeFileSync(file, text)
    const why = await openEditor(file)
    return why === undefined ? { text: fs.readFileSync(file, 'utf8') } : { why }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** Standard input may be the document, and standard output a file: an editor gets the terminal itself. */
function openEditor(file: string): Promise<string | undefined> {
  const command = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  const [program = 'vi', ...args] = command.split(/\s+/).filter((word) => word !== '')
  const terminal = fs.openSync('/dev/tty', 'r+')
  // Ctrl-C belongs to the editor.
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  return new Promise<string | undefined>((resolve) => {
    const child = startNamed(program, [...args, file], { stdio: [terminal, terminal, 'inherit'] })
    child.on('error', () => resolve(`'${program}' could not be started. Set EDITOR to your editor.`))
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : `'${program}' ended with code ${code}, so nothing was changed.`),
    )
  }).finally(() => {
    process.off('SIGINT', ignore)
    fs.closeSync(terminal)
  })
}
