export interface Question {
  readonly variant: 'bare' | 'ours'
  readonly folder: string
  readonly sessionId: string
}

export interface Loaded {
  readonly cpuMs: number
  readonly wallMs: number
  readonly messages: number
  /** The length of all texts, which shows that the whole history was loaded. */
  readonly chars: number
}

export const MESSAGES = 10_000
export const PAGE = 200

const words = 'and so the work goes on from one step to the next until all of it is done here'

export const textAt = (at: number): string => `Message ${at}: ${words}, ${words}.`

export const charsOfAll = (): number =>
  Array.from({ length: MESSAGES }, (_, at) => textAt(at).length).reduce((sum, length) => sum + length, 0)
