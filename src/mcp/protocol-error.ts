/** An error of the protocol. The SDK's own class writes the code into the message, where clients write it once more. */
export const protocolError = (code: number, message: string): Error => Object.assign(new Error(message), { code })

export const invalidRequest = -32600

export const methodNotFound = -32601

export const invalidParams = -32602

/** As the protocol has it; the SDK has no name for it. */
export const resourceNotFound = -32002
