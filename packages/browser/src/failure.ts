/** What went wrong, for people to read. */
export class ExtensionError extends Error {
  override readonly name: string = 'ExtensionError'
}
