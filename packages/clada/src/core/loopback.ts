/**
 * Whether a Host header names this machine by a loopback name or address, with any port: a forwarded port has another
 * number. A web page that makes its own name lead here (DNS rebinding) still sends that name.
 */
export function isLoopbackHost(header: string | undefined): boolean {
  const name = hostName(header)
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name ?? '')
}

/** The name or address in a Host header, in lower case and without the port; undefined if the header is malformed. */
export const hostName = (header: string | undefined): string | undefined =>
  /^(\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+)(?::\d{1,5})?$/i.exec(header ?? '')?.[1]?.toLowerCase()

/** Whether a request comes from a page of the server itself. */
export const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  origin.toLowerCase() === `http://${host ?? ''}`.toLowerCase()
