/**
 * Whether git would accept this as the full name of a reference. Git 2.39 itself does not ask when it follows HEAD: with
 * `ref: refs/heads/../../../../x` in it, `git update-ref HEAD` wrote to a file outside the repository.
 */
export const isReferenceName = (name: string): boolean =>
  name.startsWith('refs/') && name.split('/').every((part) => component.test(part) && !part.endsWith('.lock'))

// eslint-disable-next-line no-control-regex -- git refuses them too
const component = /^(?!\.)(?!.*(?:\.\.|@\{|\.$))[^\0-\x20\x7f~^:?*[\\]+$/

/** The name that a symbolic reference has, as git reads it; undefined if the text is that of another file. */
export const symbolicTarget = (text: string): string | undefined =>
  text.startsWith(symbolic) ? text.slice(symbolic.length).trim() : undefined

const symbolic = 'ref:'
