import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'

const MB = 1024 * 1024
/** Characters of text, thoughts and inputs in one answer: several times what the largest output limit of a model gives. */
export const ANSWER_CHARS = 4 * MB
/** Characters of one call's input. */
export const CALL_CHARS = MB / 2
const FILE_CHARS = 16 * MB
const PARTS = 1000
/** Bytes in which nothing is said: comments, empty pieces, a line without an end. */
const NOISE_BYTES = 16 * MB
/** What a piece takes in memory besides its characters. */
const PIECE = 16

/** What was too much, as the end of the sentence "… was cut". */
export interface Excess {
  readonly what: string
  /** It is one call that was too large: the rest of the answer is sound. */
  readonly callId?: string
}

/** Measures an answer while it comes, so that one without an end costs neither memory nor the log. */
export interface Measure {
  /** So many bytes arrived. */
  bytes(count: number): void
  /** Takes a piece into account; returns whether it says anything. */
  take(chunk: LanguageModelV4StreamPart): boolean
  /** Characters that were said. */
  readonly chars: number
  readonly excess: Excess | undefined
}

export function createMeasure(): Measure {
  const inputs = new Map<string, number>()
  let noise = 0
  let chars = 0
  let held = 0
  let files = 0
  let parts = 0
  let excess: Excess | undefined

  const grow = (size: number): boolean => {
    if (size === 0) return false
    noise = 0
    chars += size
    held += size + PIECE
    if (held > ANSWER_CHARS) excess ??= { what: `it was longer than ${ANSWER_CHARS / MB} MB` }
    return true
  }
  const growCall = (callId: string, size: number): void => {
    inputs.set(callId, size)
    if (size > CALL_CHARS) excess ??= { what: `the input of one call was larger than ${CALL_CHARS / 1024} KB`, callId }
  }
  const begin = (): void => {
    parts += 1
    if (parts > PARTS) excess ??= { what: `it had more than ${PARTS} parts` }
  }

  return {
    bytes(count) {
      noise += count
      if (noise > NOISE_BYTES) excess ??= { what: `it said nothing in ${NOISE_BYTES / MB} MB` }
    },
    take(chunk) {
      switch (chunk.type) {
        case 'text-start':
        case 'reasoning-start':
        case 'tool-input-start':
          begin()
          return false
        case 'text-delta':
        case 'reasoning-delta':
          return grow(chunk.delta.length)
        case 'tool-input-delta':
          growCall(chunk.id, (inputs.get(chunk.id) ?? 0) + chunk.delta.length)
          return grow(chunk.delta.length)
        case 'tool-call': {
          const streamed = inputs.get(chunk.toolCallId)
          if (streamed !== undefined) return true
          begin()
          growCall(chunk.toolCallId, chunk.input.length)
          return grow(chunk.input.length + chunk.toolName.length)
        }
        case 'file':
          begin()
          files += chunk.data.type === 'data' ? chunk.data.data.length : 0
          noise = 0
          if (files > FILE_CHARS) excess ??= { what: `its files were larger than ${FILE_CHARS / MB} MB` }
          return true
        default:
          return false
      }
    },
    get chars() {
      return chars
    },
    get excess() {
      return excess
    },
  }
}
