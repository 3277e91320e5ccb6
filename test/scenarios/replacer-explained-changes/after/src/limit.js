export const ok = (count, limit) => count < limit
