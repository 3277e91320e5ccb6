/** What went wrong, for people to read. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
}
