/** A request that is not done, with what the page shows. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421, message: string) {
    super(message)
    this.status = status
  }
}
