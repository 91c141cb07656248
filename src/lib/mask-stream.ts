import type { Mask } from './mask.ts'

export interface MaskStream {
  write(text: string): void
  /** Nothing more comes: what was held back goes out. */
  end(): void
}

/** As long as the longest beginning that tells a key, less one: so much of it may be out before it is known as one. */
const CONTEXT = 16
const HELD_LIMIT = 25_000

/**
 * For text that comes in pieces. What may be the beginning of a secret is held back until the next piece tells; of one
 * that began with too little to tell, the rest is hidden.
 */
export function maskStream(mask: Mask, emit: (text: string) => void): MaskStream {
  /** The end of what went out as it came. */
  let before = ''
  let held = ''

  function out(text: string): void {
    if (text === '') return
    const masked = mask(before + text)
    const shown = masked.slice(sharedLength(masked, before))
    before = shown === text ? (before + text).slice(-CONTEXT) : sharedEnd(shown, text)
    if (shown !== '') emit(shown)
  }

  /** Lets all go out but the last so many characters. */
  function release(open: number): void {
    const ready = held.slice(0, held.length - open)
    held = held.slice(held.length - open)
    out(ready)
  }

  /** The end of a whole secret may look like the beginning of another. */
  function cutsOne(open: number): boolean {
    const seen = before + held
    const at = seen.length - open
    return open < held.length && mask(seen) !== mask(seen.slice(0, at)) + mask(seen.slice(at))
  }

  return {
    write(text) {
      held += text
      const open = Math.min(mask.unfinished?.(before + held) ?? 0, held.length)
      release(open === 0 || open > HELD_LIMIT || cutsOne(open) ? 0 : open)
    },
    end: () => release(0),
  }
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < b.length && a[length] === b[length]) length++
  return length
}

function sharedEnd(a: string, b: string): string {
  let length = 0
  while (length < CONTEXT && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length++
  return b.slice(b.length - length)
}
