import { noTokens, type Part } from '../../../contract/messages.ts'
import type { Runtime, StepResult } from '../../../core/base/index.ts'
import { newId } from '../../../lib/ids.ts'
import type { ModelStep } from '../candidates.ts'
import { followed, resultsOf } from './follow.ts'
import { idsOfNow } from './ids.ts'
import { createShelf, Unplayable } from './recording.ts'

/** Plays recordings: the answers of models, and the results of calls that must not run. */
export interface Player {
  step(request: ModelStep): Promise<StepResult>
  readonly result: NonNullable<Runtime['replayed']>
}

const NOTHING_MORE = '(replay: nothing more was recorded)'

export function createPlayer(home: string | undefined): Player {
  const shelf = createShelf(home)
  return {
    async step({ candidate: { model, destination }, history, onDelta }) {
      try {
        const next = followed(await shelf.tape(destination.project, model), history)
        if ('differs' in next) return failed(next.differs)
        const parts = 'over' in next ? [{ type: 'text' as const, text: NOTHING_MORE }] : played(next.parts, next.ids)
        for (const part of parts) if (part.type === 'text' || part.type === 'reasoning') onDelta(part.type, part.text)
        const finish = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
        return { parts, tokens: noTokens, costUsd: 0, finish }
      } catch (error) {
        if (error instanceof Unplayable) return failed(error.message)
        throw error
      }
    },
    async result(project, model, { vendorCallId, name }) {
      const found = await shelf.tape(project, model).then(
        ({ messages }) => resultsOf(messages).get(vendorCallId),
        () => undefined,
      )
      if (found === undefined) return { output: `${name} was not run: the recording has no result of it.`, error: true }
      const { output, error, files } = found
      return { output, ...(error && { error }), ...(files && { files }) }
    },
  }
}

/** A call gets an id of its own and keeps the recorded one as the vendor's, by which its result is found. */
const played = (parts: readonly Part[], ids: ReadonlyMap<string, string>): Part[] =>
  parts.map((part) => {
    if (part.type === 'text') return { ...part, text: idsOfNow(part.text, ids) }
    if (part.type !== 'tool-call') return part
    return { ...part, callId: newId('call'), vendorCallId: part.callId, input: idsOfNow(part.input, ids) }
  })

const failed = (message: string): StepResult => ({
  parts: [],
  tokens: noTokens,
  costUsd: 0,
  finish: 'error',
  error: { kind: 'bad-request', message },
})
