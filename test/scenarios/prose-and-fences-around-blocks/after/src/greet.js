/** `name` may be empty. */
export const greet = (name) => `hello ${name || 'world'}`
