/** The key of what a call writes: a call that runs again after a crash finds what it wrote. */
export const keyOf = (callId: string): string => `call:${callId}`
