import type { ModelError } from '../../../core/base/index.ts'
import { type Fault, readFault, retryAfter } from './fault.ts'

/** Where a request failed, for the sentence; the secrets are what the sentence may not contain. */
export interface FailureContext {
  readonly provider: string
  readonly model: string
  readonly baseURL: string | undefined
  readonly secrets: readonly string[]
  readonly now: number
}

/** A failure, with what it means for the account's queue: the vendor is busy, or the account has nothing left. */
export interface VendorFailure extends ModelError {
  readonly limits?: 'busy' | 'exhausted'
}

const TOO_LONG =
  /prompt is too long|context[ _-]?(length|window|size)|maximum context|too many (input )?tokens|input is too long|exceeds? the (model's )?(maximum|context)|reduce the length/i
const NO_CREDIT =
  /insufficient[ _](quota|credits)|exceeded your current quota|credit balance|billing|payment required|PerDay/i
const POLICY =
  /content[ _]?(policy|filter|management)|safety|usage polic|moderation|flagged|policy_violation|PROHIBITED/i
const OVERLOADED = /overloaded|at capacity/i
const BAD_KEY = /API_KEY_INVALID|API key (not valid|expired)/i
const NO_MODEL = /model_not_found|not a valid model|model .{0,80}(does not exist|not found|not supported)/i
/** How the provider package words a stream that just stops. */
const NO_END = /without a finish reason/
const GARBAGE = [
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
]
const UNSENT = ['AI_UnsupportedFunctionalityError', 'AI_InvalidPromptError', 'AI_InvalidArgumentError']

/** Sorts a failure by what can be done about it, whether it came on the status line or inside a 200 stream. */
export function modelError(error: unknown, context: FailureContext): VendorFailure {
  const fault = readFault(error)
  const { status } = fault
  const { provider, model } = context
  const text = `${fault.type} ${fault.code} ${fault.message} ${fault.details}`
  const said = quote(fault.message, context.secrets)

  if (status === undefined) return withoutStatus(fault, said, context)
  if (status === 403 && POLICY.test(text)) return declined(provider, said)
  if (status === 401 || status === 403 || (status === 400 && BAD_KEY.test(text))) {
    return refusedKey(provider, ` (${status})`)
  }
  if (status === 402 || (status < 500 && hasNoCredit(fault, text))) {
    return { kind: 'switch', message: `The account at ${provider} has no credit or quota left.`, limits: 'exhausted' }
  }
  if (status === 404 || (status === 400 && NO_MODEL.test(text))) {
    return { kind: 'switch', message: `${provider} does not know the model "${model}", or its address is wrong.` }
  }
  if (status === 413 || (status < 500 && TOO_LONG.test(text))) {
    return { kind: 'context', message: `The conversation is too long for ${provider}/${model}${said}` }
  }
  if (status === 429) return later(`${provider} is limiting how many requests it takes`, fault, context, 'busy')
  if (status === 529 || (status >= 500 && OVERLOADED.test(text))) {
    return later(`${provider} is overloaded`, fault, context, 'busy')
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return later(`${provider} failed with an internal error (${status})`, fault, context)
  }
  if (status >= 300 && status < 400) {
    return { kind: 'bad-request', message: `${provider} points to another address; correct its baseURL.` }
  }
  if (status < 300) return { kind: 'retry', message: brokenOff(provider) }
  if (POLICY.test(text)) return declined(provider, said)
  return { kind: 'bad-request', message: `${provider} refused the request (${status})${said}` }
}

const declined = (provider: string, said: string): VendorFailure => ({
  kind: 'refused',
  message: `${provider} declined to answer${said}`,
})

/** One vendor says "quota" and "billing" of every limit; only its limit for the day is not worth waiting for. */
function hasNoCredit(fault: Fault, text: string): boolean {
  if (fault.type === 'RESOURCE_EXHAUSTED') return /PerDay/i.test(text)
  return NO_CREDIT.test(text)
}

export const brokenOff = (provider: string): string =>
  `The connection to ${provider} broke off before the answer was complete.`

function withoutStatus(fault: Fault, said: string, context: FailureContext): VendorFailure {
  const { provider } = context
  if (fault.name === 'AI_LoadAPIKeyError') return refusedKey(provider, '')
  if (UNSENT.includes(fault.name)) {
    return { kind: 'bad-request', message: `The request cannot be sent to ${provider}${said}` }
  }
  if (NO_END.test(fault.message)) return { kind: 'retry', message: brokenOff(provider) }
  if (GARBAGE.includes(fault.name)) return { kind: 'retry', message: `${provider} sent an answer that cannot be read.` }
  if (fault.network) {
    return { kind: 'retry', message: `${provider} cannot be reached${place(context)} (${fault.network}).` }
  }
  if (OVERLOADED.test(fault.message)) return later(`${provider} is overloaded`, fault, context, 'busy')
  return { kind: 'retry', message: `${provider} failed while answering${said}` }
}

/** What the vendor said is left out: it may quote the key. */
const refusedKey = (provider: string, how: string): VendorFailure => ({
  kind: 'auth',
  limits: 'exhausted',
  message: `${provider} did not accept the key${how}; check the key in the environment or in providers.${provider}.apiKey.`,
})

function later(what: string, fault: Fault, context: FailureContext, limits?: 'busy'): VendorFailure {
  const wait = retryAfter(fault.headers, context.now, fault.details)
  const queue = limits === undefined ? {} : { limits }
  if (wait === undefined) return { kind: 'retry', message: `${what}.`, ...queue }
  const message = `${what}; it asks us to wait ${Math.ceil(wait / 1000)} s.`
  return { kind: 'retry', message, retryAfterMs: wait, ...queue }
}

/** The host only: an address may carry a password. */
function place({ baseURL }: FailureContext): string {
  return baseURL && URL.canParse(baseURL) ? ` at ${new URL(baseURL).host}` : ''
}

const QUOTED = 300

/** The vendor's own words as the end of a sentence, short and without secrets. */
function quote(message: string, secrets: readonly string[]): string {
  let text = message
  for (const secret of secrets) if (secret.length >= 6) text = text.replaceAll(secret, '[secret]')
  text = text
    .replace(/\b(?:(sk|pk|key|gsk|xai)-[\w*.-]{6,}|AIza[\w-]{20,})/gi, '[secret]')
    .replace(/\bBearer\s+\S+/gi, '[secret]')
    .replace(/:\/\/[^/\s@]+@/g, '://')
    .replace(/\s+/g, ' ')
    .trim()
  if (text === '') return '.'
  if (text.length > QUOTED) return `: ${text.slice(0, QUOTED)}…`
  return `: ${text}${/[.!?]$/.test(text) ? '' : '.'}`
}
