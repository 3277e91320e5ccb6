export function buildCommandLine(dist: string): Promise<void>
