import type { Part } from '../../../contract/messages.ts'
import type { ModelError, StepResult } from '../../../core/base/index.ts'
import type { IncomingAnswer } from './answer.ts'

/** A complete answer as a step's result; one with nothing in it is a failure. */
export function wholeResult(answer: IncomingAnswer, provider: string, maxOutputTokens: number | undefined): StepResult {
  const { tokens } = answer
  const reason = answer.finish?.unified
  const parts = answer.parts.filter((part) => !isEmpty(part) && !(reason === 'length' && isHalfCall(part)))
  if (reason === 'content-filter') {
    return { parts, tokens, finish: 'refused', error: { kind: 'refused', message: `${provider} declined to answer.` } }
  }
  if (parts.some((part) => part.type === 'tool-call')) return { parts, tokens, finish: 'tool-calls' }
  if (parts.length > 0) return { parts, tokens, finish: reason === 'length' ? 'length' : 'stop' }
  const error: ModelError =
    reason === 'length'
      ? {
          kind: 'bad-request',
          message: `The answer did not fit into ${maxOutputTokens} tokens; raise maxOutputTokens.`,
        }
      : { kind: 'retry', message: `${provider} sent an empty answer.` }
  return { parts, tokens, finish: 'error', error }
}

/**
 * What is left of an answer that was aborted or cut: the text, and reasoning that is signed. No call is kept, not even a
 * whole one: the model had not finished deciding.
 */
export function brokenResult(answer: IncomingAnswer, error?: ModelError): StepResult {
  const parts = answer.parts.filter((part) => !isEmpty(part) && (part.type === 'text' || isSigned(part)))
  const kept = parts.some((part) => part.type === 'text') ? parts : []
  const { tokens } = answer
  return error ? { parts: kept, tokens, finish: 'error', error } : { parts: kept, tokens, finish: 'aborted' }
}

const isEmpty = (part: Part): boolean =>
  (part.type === 'text' || part.type === 'reasoning') && part.text === '' && part.providerMetadata === undefined

const isSigned = (part: Part): boolean => part.type === 'reasoning' && part.providerMetadata !== undefined

/** The limit came in the middle of a call's input. */
const isHalfCall = (part: Part): boolean => part.type === 'tool-call' && typeof part.input === 'string'
