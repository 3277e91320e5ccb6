export const fresh = true
