import type { ErrorBody } from '../contract/api.ts'

/**
 * Why a call came to nothing: the server refused it with an error of the contract, something answered that is not
 * Troupe, no answer came in time, or there was no connection.
 */
type FailureKind = 'refused' | 'foreign' | 'timeout' | 'lost'

export class CallFailure extends Error {
  readonly kind: FailureKind
  /** For a refusal, the code in `contract/errors.ts`. */
  readonly code: string
  readonly hint: string | undefined
  readonly details: unknown

  constructor(
    kind: FailureKind,
    message: string,
    more: { code?: string; hint?: string | undefined; details?: unknown; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'CallFailure'
    this.kind = kind
    this.code = more.code ?? `client.${kind}`
    this.hint = more.hint
    this.details = more.details
  }
}

/** The error of the contract that a text is, if it is one. */
export function errorIn(text: string): ErrorBody['error'] | undefined {
  try {
    return (JSON.parse(text) as Partial<ErrorBody>).error
  } catch {
    return undefined
  }
}
