export const testPrograms: Readonly<Record<string, string>>
export function installTestPrograms(): void
