/** Writes the extension below a directory, and returns the path of its package. */
export function buildVscode(dir: string, options?: { readonly quality?: number }): Promise<string>
