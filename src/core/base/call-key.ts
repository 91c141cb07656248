/** The key of what a call writes: a call that runs again after a crash finds what it wrote. */
export const keyOf = (callId: string): string => `call:${callId}`

/** The call whose key this is; undefined for the key of anything else. */
export const callOf = (key: string | undefined): string | undefined => /^call:(.+)$/.exec(key ?? '')?.[1]
