import type { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'

/**
 * Goes once through what a first save needs, so that it is loaded and compiled while nobody waits. A preview touches
 * nothing.
 */
export async function warmUp(clada: Clada, root: string, { git, gitCommit }: CladaOptions): Promise<void> {
  const sample = ['#!SHAM [@three-char-SHA-256: w4m]', 'action = "file_write"', `path = "${root}/w4m"`, 'content = "w"']
  await clada.preview([...sample, '#!END_SHAM_w4m', ''].join('\n'))
  if (gitCommit !== false && git !== 'off') await import('../git/checkpoints.ts')
}
