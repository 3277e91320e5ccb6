export function buildExtension(dir: string): Promise<void>
