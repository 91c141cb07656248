import type { Mask } from './mask.ts'

export interface MaskStream {
  write(text: string): void
  /** No more text comes, so the text that was held back goes out. */
  end(): void
}

/** One character less than the longest beginning by which a key is known: that much of a key may be out already. */
const CONTEXT = 16
const HELD_LIMIT = 25_000

/**
 * Masks text that comes in pieces. It holds back what may be the beginning of a secret until the next piece decides.
 * When a secret began with too few characters to be noticed, it hides the rest.
 */
export function maskStream(mask: Mask, emit: (text: string) => void): MaskStream {
  /** The last characters that went out unmasked. */
  let before = ''
  let held = ''

  function out(text: string): void {
    if (text === '') return
    const masked = mask(before + text)
    const shown = masked.slice(sharedLength(masked, before))
    before = shown === text ? (before + text).slice(-CONTEXT) : sharedEnd(shown, text)
    if (shown !== '') emit(shown)
  }

  /** Lets everything go out but the last `open` characters. */
  function release(open: number): void {
    const ready = held.slice(0, held.length - open)
    held = held.slice(held.length - open)
    out(ready)
  }

  /** The end of a whole secret may look like the beginning of another: holding it back would cut the first in two. */
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
