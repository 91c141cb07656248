import { sql } from 'kysely'
import { LARGEST } from './drivers/sound.ts'

/** A sum takes what is no number, or too large to be one, for nothing, as reading its row does. */
export const soundSum = (column: string) => sql<number | null>`sum(${sound(column)})`

export const sound = (column: string) => sql<number>`case when ${isSound(column)} then ${sql.ref(column)} else 0 end`

export const isSound = (column: string) =>
  sql<boolean>`${sql.ref(column)} between ${sql.lit(-LARGEST)} and ${sql.lit(LARGEST)}`
