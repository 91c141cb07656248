import { createHash, timingSafeEqual } from 'node:crypto'

/** Secrets are kept and compared by digest: equal length, and no time that depends on how near a guess was. */
export const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export const sameDigest = (a: Buffer, b: Buffer): boolean => timingSafeEqual(a, b)
