/** What a call writes is keyed by it: run again after a crash, it finds what is there. */
export const keyOf = (callId: string): string => `call:${callId}`
