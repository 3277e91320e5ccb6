import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'

const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`
const document = (path: string): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "file_replace_text"\npath = "${path}"\nold_text = "a"\nnew_text = "b"\n#!END_SHAM_abc`

describe('clada cases', () => {
  it('runs .cases.md files, each in a directory of its own', () => {
    const good = `# T\n\n## file_replace_text\n\n### 001-replaces\n\n${fence('sh sham', document('/ROOT/a.txt'))}\n${fence(
      'json',
      '{"success": true, "data": {"path": "/ROOT/a.txt", "replacements": 1}}',
    )}\n${fence('before a.txt', 'a')}\n${fence('after a.txt', 'b')}`
    const root = scratchDir({ 'good.cases.md': good, 'notes.md': good })
    expect(clada(['cases', '.'], { cwd: root })).toMatchObject({ status: 0, stdout: '1 of 1 case passed\n' })
    expect(clada(['cases', 'good.cases.md'], { cwd: root }).status).toBe(0)
  })

  it('runs the case that docs/seeds.md shows', () => {
    const page = fs.readFileSync(new URL('../../docs/seeds.md', import.meta.url), 'utf8')
    const [, shown = ''] = /^````md\n(.*?)^````$/ms.exec(page) ?? []
    const root = scratchDir({ 'shown.cases.md': shown })
    expect(clada(['cases', '.'], { cwd: root })).toMatchObject({ status: 0, stdout: '1 of 1 case passed\n' })
  })

  it('says what differs', () => {
    const wrong = `## file_replace_text\n\n### 001-fails\n\n${fence('sh sham', document('/ROOT/a.txt'))}\n${fence(
      'json',
      '{"success": true}',
    )}`
    const root = scratchDir({ 'wrong.cases.md': wrong })
    const { status, stdout } = clada(['cases', '.'], { cwd: root })
    expect(status).toBe(1)
    expect(stdout).toContain('✗ wrong.cases.md:3 file_replace_text > 001-fails')
    expect(stdout).toContain('success: false, expected true')
  })

  it('compares the whole execution where results are expected', () => {
    const whole = `## g\n\n### unknown\n\n${fence('sh sham', document('/ROOT/a').replace('file_replace_text', 'nothing'))}\n${fence(
      'json',
      '{"success": false, "totalBlocks": 1, "results": [], "parseErrors": [{"blockId": "abc", "errorType": "validation"}]}',
    )}`
    const root = scratchDir({ 'whole.cases.md': whole })
    expect(clada(['cases', '.'], { cwd: root })).toMatchObject({ status: 0 })
  })

  it.each([['nowhere'], ['.']])('is a wrong call without cases: %s', (dir) => {
    expect(clada(['cases', dir], { cwd: scratchDir() }).status).toBe(2)
  })
})
