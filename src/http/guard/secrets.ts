import { createHash, timingSafeEqual } from 'node:crypto'

/** Secrets are kept and compared as digests: all have one length, and the time does not tell how near a guess was. */
export const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export const sameDigest = (a: Buffer, b: Buffer): boolean => timingSafeEqual(a, b)
