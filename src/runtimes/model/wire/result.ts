import type { Part } from '../../../contract/messages.ts'
import type { ModelError, StepResult } from '../../../core/base/index.ts'
import { declined, type FailureContext } from '../vendors/failure.ts'
import type { IncomingAnswer } from './answer.ts'
import type { Excess } from './measure.ts'

/** A complete answer as a step's result; one that says nothing is a failure, and so is one of thoughts alone. */
export function wholeResult(answer: IncomingAnswer, provider: string, maxOutputTokens: number | undefined): StepResult {
  const { tokens } = answer
  const reason = answer.finish?.unified
  const half = reason === 'length' ? answer.unfinished.map(answer.halfCall) : []
  const parts = [...answer.parts.filter((part) => !isEmpty(part)), ...half]
  if (reason === 'content-filter') {
    return { parts, tokens, finish: 'refused', error: declined(provider, '.') }
  }
  const says = parts.some((part) => part.type !== 'reasoning' && !(part.type === 'text' && part.text.trim() === ''))
  if (reason === 'length') {
    const limit = `its limit of ${maxOutputTokens} tokens (maxOutputTokens)`
    if (says) return { parts, tokens, finish: 'length', cut: `The answer was cut at ${limit}.` }
    const what = parts.length > 0 ? 'The model thought until' : 'The answer said nothing before'
    const message = `${what} ${limit} was reached. Raise maxOutputTokens of the agent, or lower its reasoning.`
    return { parts, tokens, finish: 'error', error: { kind: 'bad-request', message } }
  }
  if (says) return { parts, tokens, finish: parts.some(isCall) ? 'tool-calls' : 'stop' }
  const what = parts.length > 0 ? 'thoughts without an answer' : 'an empty answer'
  return { parts, tokens, finish: 'error', error: { kind: 'retry', message: `${provider} sent ${what}.` } }
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

/** What is left of an answer that was too much. A call that was too large is told to the model, all else to the person. */
export function cutResult(
  answer: IncomingAnswer,
  { what, callId }: Excess,
  { provider, model }: Pick<FailureContext, 'provider' | 'model'>,
): StepResult {
  if (callId !== undefined) {
    const { parts, tokens } = brokenResult(answer)
    const cut = `The answer was cut: ${what}.`
    return { parts: [...parts, answer.halfCall(callId)], tokens, finish: 'length', cut }
  }
  const message = `The answer of ${provider}/${model} was cut and not kept: ${what}. Ask for less at once, or choose another model with "troupe sessions model".`
  return brokenResult(answer, { kind: 'bad-request', message })
}

const isEmpty = (part: Part): boolean =>
  (part.type === 'text' || part.type === 'reasoning') && part.text === '' && part.providerMetadata === undefined

const isSigned = (part: Part): boolean => part.type === 'reasoning' && part.providerMetadata !== undefined

const isCall = (part: Part): boolean => part.type === 'tool-call'
