/** Budgets count in billionths of a dollar: whole numbers add up exactly, in any order. */
const NANOS = 1_000_000_000

export const toNanos = (usd: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.round(usd * NANOS))

export const toUsd = (nanos: number): number => nanos / NANOS

/** The server's local day, as 2026-01-31. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export const dayStart = (at: number): number => new Date(at).setHours(0, 0, 0, 0)

/** When the next local day begins, also where a day has 23 or 25 hours. */
export const nextDay = (at: number): number => {
  const date = new Date(at)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime()
}

/** For people: cents, and as many digits more as tell the amount from others like it. */
export function dollars(usd: number): string {
  return `${usd.toFixed(usd < 0.01 ? 6 : 4).replace(/(\.\d\d\d*?)0+$/, '$1')} USD`
}
