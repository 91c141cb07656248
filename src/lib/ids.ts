import { randomBytes } from 'node:crypto'

export const hex = (bytes = 16): string => randomBytes(bytes).toString('hex')

export const newId = (prefix: string): string => `${prefix}_${hex(12)}`
