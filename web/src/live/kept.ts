/** What this browser keeps for the next visit. Where it keeps nothing, or has no room, it is known until the page is closed. */
export const kept = { get, put, drop, lasts }

const here = new Map<string, string>()

function get(key: string): string | undefined {
  try {
    return here.get(key) ?? localStorage.getItem(key) ?? undefined
  } catch {
    return here.get(key)
  }
}

/** Whether the next visit will know it. */
function put(key: string, value: string): boolean {
  try {
    localStorage.setItem(key, value)
    here.delete(key)
    return true
  } catch {
    here.set(key, value)
    return false
  }
}

/** Whether there is room for a token or a draft. */
function lasts(): boolean {
  const key = 'troupe.room'
  const does = put(key, ' '.repeat(1000))
  drop(key)
  return does
}

function drop(key: string): void {
  here.delete(key)
  try {
    localStorage.removeItem(key)
  } catch {
    // It was kept here only.
  }
}
