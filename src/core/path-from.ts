import path from 'node:path'

/** How a path is told: as it is in the project, or whole where it lies outside of it. */
export function pathFrom(root: string, absolute: string): string {
  const relative = path.relative(root, absolute)
  const outside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
  return (outside ? absolute : relative).split(path.sep).join('/')
}
