import { join } from 'node:path'

export const TALKS = 4
/** Calls in one turn, fewer than a turn may make. */
export const CALLS = 30
export const TOOL = 'note'

export const notedFile = (folder: string): string => join(folder, 'noted')
export const textOf = (n: number): string => `Noted number ${n}.`
export const noted = /Noted number (\d+)\./g
