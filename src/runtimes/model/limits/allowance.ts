/** How many requests the vendor says are left and when there will be more, from the headers of an answer. */
export function allowanceOf(
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): { remaining?: number; resetMs?: number } {
  if (headers === undefined) return {}
  const remaining = headers['x-ratelimit-remaining-requests'] ?? headers['anthropic-ratelimit-requests-remaining']
  const reset = headers['x-ratelimit-reset-requests'] ?? headers['anthropic-ratelimit-requests-reset']
  if (remaining === undefined || !/^\d+$/.test(remaining)) return {}
  const resetMs = reset === undefined ? undefined : durationOf(reset, now)
  return { remaining: Number(remaining), ...(resetMs === undefined ? {} : { resetMs }) }
}

const UNITS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** "1s", "6m0s", "20ms", or a date. */
function durationOf(text: string, now: number): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)]
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text.trim()) {
    return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0)
  }
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
