const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** A key with the one beside it that makes commands on this machine, as it is written on buttons. */
export const modKey = (key: string): string => (isMac ? `⌘${key}` : `Ctrl ${key}`)

export const altKey = (key: string): string => (isMac ? `⌥${key}` : `Alt ${key}`)
