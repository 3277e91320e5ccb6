/** Characters of a token, wherever a budget is given in tokens. */
export const tokenLength = 4

export const tokensOf = (text: string): number => Math.ceil(text.length / tokenLength)
