import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { resultFormat } from '../../packages/clada/src/cli/options.ts'
import { formatReport, type ReportFormat } from '../../packages/clada/src/report/format.ts'
import { scratchDir } from '../support/scratch.ts'

/**
 * A folder is a test: `input.md` is what the model sent, `before/` the project, `after/` the project then, and
 * `report.txt` what clada answered: as the syntax of the document likes it, or as the name of the file says
 * (`report-text.txt`, `report.xml`). `/ROOT` stands for the project. A folder whose name begins with `err-` must fail.
 */
const here = import.meta.dirname
const scenarios = fs.readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory())

test('there are scenarios', () => {
  expect(scenarios.length).toBeGreaterThan(10)
})

for (const { name } of scenarios) {
  describe(name, () => {
    const folder = path.join(here, name)

    it('changes the project as it should, and says so', async () => {
      const root = projectFrom(path.join(folder, 'before'))
      const result = await new Clada({ repoPath: root, gitCommit: false, evidence: 'diff' }).execute(inputOf(folder, root))
      expect(result.success).toBe(!name.startsWith('err-'))
      expect(bytesIn(root)).toEqual(bytesIn(path.join(folder, 'after')))

      const format = formatIn(folder) ?? resultFormat(result)
      const report = formatReport(result, format).replaceAll(root, '/ROOT')
      const file = path.join(folder, reportFiles[format])
      await expect(report.endsWith('\n') ? report : `${report}\n`).toMatchFileSnapshot(file)
    })

    it('would do the same in a preview, and does nothing', async () => {
      const root = projectFrom(path.join(folder, 'before'))
      const before = bytesIn(root)
      const clada = new Clada({ repoPath: root, gitCommit: false, evidence: 'diff' })
      const shown = await clada.preview(inputOf(folder, root))
      expect(bytesIn(root)).toEqual(before)
      expect(fs.existsSync(path.join(root, '.clada'))).toBe(false)
      const done = await clada.execute(inputOf(folder, root))
      expect(formatReport(shown.result, 'llm')).toBe(formatReport(done, 'llm'))
    })
  })
}

const reportFiles: Readonly<Record<ReportFormat, string>> = {
  llm: 'report.txt',
  text: 'report-text.txt',
  xml: 'report.xml',
  json: 'report.json',
  pretty: 'report-pretty.txt',
}

/** The format a scenario asks for by the file it has. */
const formatIn = (folder: string): ReportFormat | undefined =>
  (['llm', 'text', 'xml', 'json', 'pretty'] as const).find((format) =>
    fs.existsSync(path.join(folder, reportFiles[format])),
  )

function projectFrom(before: string): string {
  const root = scratchDir()
  if (fs.existsSync(before)) fs.cpSync(before, root, { recursive: true })
  return root
}

const inputOf = (folder: string, root: string): string =>
  fs.readFileSync(path.join(folder, 'input.md'), 'utf8').replaceAll('/ROOT', root)

/** Every file by its path; a byte is a character. */
function bytesIn(dir: string): Record<string, string> {
  if (!fs.existsSync(dir)) return {}
  const found: Record<string, string> = {}
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(dir, file)
    if (entry.isFile() && !name.startsWith('.clada')) found[name] = fs.readFileSync(file, 'latin1')
  }
  return found
}
