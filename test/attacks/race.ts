import fs from 'node:fs'
import path from 'node:path'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { startFlipper } from './carry-out.ts'
import type { Fixture } from './fixture.ts'

/** Writes into a directory that another process keeps swapping with a link to the outside. */
export async function raceWrites(
  writes: number,
  fixture: Fixture,
): Promise<{ writes: number; landed: number; escaped: number }> {
  fixture.reset()
  const { project, outside } = fixture
  const known = fs.readdirSync(outside).length
  const clada = new Clada({ repoPath: project, gitCommit: false })
  const stop = startFlipper(fixture)
  let landed = 0
  let escaped = 0
  try {
    for (let done = 0; done < writes; done += batch) {
      const blocks = Array.from({ length: batch }, (_, index) =>
        block(`${project}/nested/r${index}.txt`, `${done + index}`),
      )
      const { results } = await clada.execute(blocks.join('\n'))
      landed += results.filter((result) => result.success).length
      const found = fs.readdirSync(outside)
      escaped += found.length - known
      for (const name of found) if (/^r\d+\.txt$|\.tmp$/.test(name)) fs.rmSync(path.join(outside, name))
    }
  } finally {
    await stop()
  }
  fixture.reset()
  return { writes, landed, escaped }
}

const batch = 250

const block = (file: string, content: string): string =>
  `#!SHAM [@three-char-SHA-256: rac]\naction = "file_write"\npath = "${file}"\ncontent = "${content}"\n#!END_SHAM_rac\n`
