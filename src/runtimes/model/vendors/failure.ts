import type { ModelError } from '../../../core/base/index.ts'
import { FetchRefused } from '../../../lib/net/guarded-target.ts'
import { DEFAULT_ACCOUNT } from '../accounts.ts'
import { type Fault, readFault } from './fault.ts'
import { type Fits, smallerOutput } from './output.ts'
import { askedWait } from './reset.ts'

/** Where a request failed, for the sentence; the secrets are what the sentence may not contain. */
export interface FailureContext {
  readonly provider: string
  readonly model: string
  readonly account: string
  readonly baseURL: string | undefined
  readonly secrets: readonly string[]
  /** The limit on its output that the request had. */
  readonly maxOutputTokens: number | undefined
  readonly now: number
}

/** A failure, with what it means for the account: its vendor takes so many requests only, or it has nothing left. */
export interface VendorFailure extends ModelError {
  /** With this limit on its output the request may be taken. */
  readonly fits?: Fits
  readonly limits?: 'limited' | 'exhausted'
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
/** As the servers that run models themselves say it, and brokers that find nobody who takes tools. */
const NO_TOOLS =
  /(does not|doesn't|not) support (tools|tool use|tool call|function)|support tool use|tool call(ing|s)? (is|are) not supported|enable-auto-tool-choice|tools param requires/i
/** How the provider package words a stream that just stops. */
const NO_END = /without a finish reason/
const GARBAGE = [
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
]
const UNSENT = ['AI_UnsupportedFunctionalityError', 'AI_InvalidPromptError', 'AI_InvalidArgumentError']

/**
 * Sorts a failure by what can be done about it, whether it came on the status line or inside a 200 stream. The sentence says
 * what happened, in the vendor's own words where it used any, and one thing to do next.
 */
export function modelError(error: unknown, context: FailureContext): VendorFailure {
  const fault = readFault(error)
  if (error instanceof FetchRefused && fault.network === undefined) return notAsked(error, context)
  const fits = refusesOutput(fault, context)
  return { ...sorted(fault, context), ...(fits === undefined ? {} : { fits }) }
}

/** Behind the address guard are the providers that a project names. */
const notAsked = ({ message }: FetchRefused, { provider }: FailureContext): VendorFailure => ({
  kind: 'switch',
  message: `${provider} was not asked. ${message} A project may name public addresses only; take this provider out of its settings and put it into your own: troupe config set providers.${provider}.`,
})

const refusesOutput = ({ status, message }: Fault, { maxOutputTokens }: FailureContext): Fits | undefined =>
  status !== undefined && [400, 402, 413, 422].includes(status) && maxOutputTokens !== undefined
    ? smallerOutput(message, maxOutputTokens)
    : undefined

function sorted(fault: Fault, context: FailureContext): VendorFailure {
  const { status } = fault
  const { provider, model } = context
  const text = `${fault.type} ${fault.code} ${fault.message} ${fault.details}`
  const said = quote(fault.message, context.secrets)
  const name = `${provider}/${model}`

  if (isPage(fault.body) && status !== 429) return webPage(context, status, fault.body)
  if (status === undefined) return withoutStatus(fault, said, context)
  if (status < 500 && NO_TOOLS.test(text)) {
    return { kind: 'switch', message: `${name} takes no tools${said} ${withoutTools(context)}` }
  }
  if (status === 403 && POLICY.test(text)) return declined(provider, said)
  if (status === 401 || status === 403 || (status === 400 && BAD_KEY.test(text))) {
    return refusedKey(context, ` (${status})${said}`)
  }
  if (status === 402 || (status < 500 && hasNoCredit(fault, text))) return noCredit(context, said, fault)
  if (status === 404 || (status === 400 && NO_MODEL.test(text))) {
    const message = `${provider} does not know the model "${model}", or its address is wrong${said} "troupe models" lists what there is; the address is providers.${provider}.baseURL.`
    return { kind: 'switch', message }
  }
  if (status === 413 || (status < 500 && TOO_LONG.test(text))) {
    return { kind: 'context', message: `The conversation is too long for ${name}${said} ${SHORTER}` }
  }
  if (status === 429) {
    return later(`${provider} is limiting how many requests it takes`, said, fault, context, { limits: 'limited' })
  }
  if (status === 529 || (status >= 500 && OVERLOADED.test(text))) {
    return later(`${provider} is overloaded`, said, fault, context, { limits: 'limited' })
  }
  if (status >= 500) return later(`${provider} failed with an internal error (${status})`, said, fault, context)
  if (status === 408 || status === 409 || status === 425) {
    return { ...later(`${provider} did not take the request (${status})`, said, fault, context), kind: 'retry' }
  }
  if (status >= 300 && status < 400) {
    const message = `${provider} points to another address; correct providers.${provider}.baseURL.`
    return { kind: 'bad-request', message }
  }
  if (status < 300) return { kind: 'retry', message: brokenOff(provider) }
  if (POLICY.test(text)) return declined(provider, said)
  return { kind: 'bad-request', message: `${provider} refused the request (${status})${said} ${CHANGE}` }
}

const SHORTER =
  'Go on in a new session, clear this one with "troupe sessions clear", or choose a model that reads more at once.'
const CHANGE = 'Change the agent\'s settings for the model, or choose another with "troupe sessions model".'

const withoutTools = ({ provider, model }: FailureContext): string =>
  `Set providers.${provider}.toolCalling to { "${model}": "text" }, or choose another model.`

export const declined = (provider: string, said: string): VendorFailure => ({
  kind: 'refused',
  message: `${provider} declined to answer${said} Ask in other words, or choose another model.`,
})

function noCredit(context: FailureContext, said: string, fault: Fault): VendorFailure {
  const { provider, account } = context
  const message = `The account "${account}" at ${provider} has no credit or quota left${said} Top it up, or add another in providers.${provider}.accounts.`
  const wait = askedWait(fault, context.now)
  return { kind: 'switch', limits: 'exhausted', message, ...(wait === undefined ? {} : { retryAfterMs: wait }) }
}

/** One vendor says "quota" and "billing" of every limit; only its limit for the day is not worth waiting for. */
function hasNoCredit(fault: Fault, text: string): boolean {
  if (fault.type === 'RESOURCE_EXHAUSTED') return /PerDay/i.test(text)
  return NO_CREDIT.test(text)
}

export const brokenOff = (provider: string): string =>
  `The connection to ${provider} broke off before the answer was complete.`

const isPage = (body: string): boolean => /^\s*<(!doctype|html)/i.test(body)

/** A proxy, a login or a wrong address answers in HTML: the model never heard of the request. */
function webPage(context: FailureContext, status: number | undefined, page: string): VendorFailure {
  const { provider } = context
  const title = quote(/<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? '', context.secrets)
  const message = `${provider} answered with a web page${status === undefined ? '' : ` (${status})`}${title} Check providers.${provider}.baseURL, and the proxy in HTTP_PROXY or HTTPS_PROXY.`
  return { kind: status !== undefined && status >= 500 ? 'busy' : 'bad-request', message }
}

function withoutStatus(fault: Fault, said: string, context: FailureContext): VendorFailure {
  const { provider } = context
  if (fault.name === 'AI_LoadAPIKeyError') return refusedKey(context, '.')
  if (UNSENT.includes(fault.name)) {
    return { kind: 'bad-request', message: `The request cannot be sent to ${provider}${said} ${CHANGE}` }
  }
  if (NO_END.test(fault.message)) return { kind: 'retry', message: brokenOff(provider) }
  if (GARBAGE.includes(fault.name)) return { kind: 'retry', message: `${provider} sent an answer that cannot be read.` }
  if (fault.network) {
    const message = `${provider} cannot be reached${place(context)} (${fault.network}). Check that it runs, and providers.${provider}.baseURL.`
    return { kind: 'busy', message }
  }
  if (OVERLOADED.test(fault.message)) {
    return later(`${provider} is overloaded`, said, fault, context, { limits: 'limited' })
  }
  return { kind: 'retry', message: `${provider} failed while answering${said}` }
}

const refusedKey = ({ provider, account }: FailureContext, said: string): VendorFailure => ({
  kind: 'auth',
  limits: 'exhausted',
  message: `${provider} did not accept the key of the account "${account}"${said} Check it in the environment, or in providers.${provider}.${account === DEFAULT_ACCOUNT ? 'apiKey' : 'accounts'}.`,
})

function later(
  what: string,
  said: string,
  fault: Fault,
  { now }: FailureContext,
  queue: Pick<VendorFailure, 'limits'> = {},
): VendorFailure {
  const wait = askedWait(fault, now)
  if (wait === undefined) return { kind: 'busy', message: `${what}${said}`, ...queue }
  const message = `${what}${said} It asks us to wait ${Math.ceil(wait / 1000)} s.`
  return { kind: 'busy', message, retryAfterMs: wait, ...queue }
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
