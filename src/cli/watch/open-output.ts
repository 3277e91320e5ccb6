import fs from 'node:fs'
import { startProgram } from '../../process/start-program.ts'

/** Shows a file with the user's own pager; resolves with why it could not be shown, if so. `name` is what people call it. */
export function openOutput(file: string, name: string): Promise<string | undefined> {
  if (!fs.existsSync(file)) return Promise.resolve('There is no output yet.')
  const [program = 'less', ...args] = (process.env['PAGER'] || 'less').split(/\s+/).filter((word) => word !== '')
  return new Promise((resolve) => {
    const child = startProgram(program, [...args, file], { stdio: 'inherit' })
    child.on('error', () => resolve(`${program} could not be started; the output is in ${name}.`))
    child.on('close', () => resolve(undefined))
  })
}
