import path from 'node:path'
import { expect, it } from 'vitest'
import { mountPointsBelow } from '../../packages/clada/src/process/mount-points.ts'
import { scratchDir } from '../support/scratch.ts'

it('names what is mounted inside directories, and what it is', () => {
  const dir = scratchDir({ 'a b/x': '', 'c/d/y': '', 'e/z': '' })
  const line = (place: string): string => `36 35 98:0 / ${place} rw,noatime master:1 - ext4 /dev/root rw`
  const places = ['a\\040b', 'c/d/y', 'gone', 'e', ''].map((name) => path.join(dir, name).replace(/\/$/, ''))
  const table = ['/', ...places, `${dir}-beside`, places[3] ?? ''].map(line).join('\n')
  expect(mountPointsBelow([dir], table)).toEqual([
    { path: path.join(dir, 'a b'), type: 'directory' },
    { path: path.join(dir, 'c/d/y'), type: 'file' },
    { path: path.join(dir, 'e'), type: 'directory' },
  ])
  expect(mountPointsBelow([path.join(dir, 'c')], table)).toHaveLength(1)
})
