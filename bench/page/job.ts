export const NODES = 200
/** So many nodes stand in one column. */
export const WIDE = 10

export const MESSAGES = 10_000

const words = 'and so the work goes on from one step to the next until all of it is done here'

export const textAt = (at: number): string => `Message ${at}: ${words}${at % 5 === 0 ? `, ${words}, ${words}` : ''}.`
