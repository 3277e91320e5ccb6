export const unused = 1
export const ok = (count, limit) => count <= limit
