export function buildPage(dir: string): Promise<void>
