import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ZodError } from 'zod'
import { BODY_LIMIT, type ErrorBody } from '../contract/api.ts'
import { AppError, type ErrorClass, errors } from '../contract/errors.ts'

/** The only place that knows status codes. */
const statuses: Record<ErrorClass, ContentfulStatusCode> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported: 415,
  misdirected: 421,
  limited: 429,
  internal: 500,
  unavailable: 503,
  no_space: 507,
}

const ISSUES_SHOWN = 20

export const httpStatusOf = (error: AppError): ContentfulStatusCode => statuses[errors[error.code]]

export const bodyOf = (error: AppError): ErrorBody => ({
  error: {
    code: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.details === undefined ? {} : { details: error.details }),
  },
})

/** Whatever was thrown, as something a caller may see. An unforeseen error is told without its details. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof ZodError) return invalid(thrown, 'request')
  if (thrown instanceof HTTPException) return fromFramework(thrown)
  return new AppError('internal', 'The server failed at this request; nothing else is affected.', {
    hint: 'The reason is in the log: run "troupe logs".',
    cause: thrown,
  })
}

/** A sentence that names the first field, and a list of all. */
export function invalid(error: ZodError, where: string): AppError {
  const issues = error.issues.slice(0, ISSUES_SHOWN).map((issue) => ({
    field: issue.path.map(String).join('.'),
    message: issue.message,
  }))
  const first = issues[0] ?? { field: '', message: 'is not valid' }
  const place = places[where] ?? where
  const subject = first.field === '' ? `The ${place}` : `The field "${first.field}" of the ${place}`
  return new AppError('request.invalid', `${subject} is not valid: ${first.message}.`, {
    hint: 'GET /api/openapi.json describes what each route takes.',
    details: { issues },
  })
}

const places: Record<string, string> = { json: 'body', query: 'query', param: 'path', header: 'headers' }

function fromFramework(thrown: HTTPException): AppError {
  if (thrown.status === 415) return notJson()
  if (thrown.status === 413) return tooLarge()
  return new AppError('request.invalid', 'The body is not valid JSON.', {
    hint: 'Send one JSON object with the header "Content-Type: application/json".',
  })
}

export const notJson = (): AppError =>
  new AppError('request.not_json', 'The body must be JSON.', {
    hint: 'Send the header "Content-Type: application/json".',
  })

export const tooLarge = (limit = BODY_LIMIT): AppError =>
  new AppError('request.too_large', `The body is larger than ${limit / 1024 / 1024} MiB.`, {
    hint: 'Send less at once; put large text into a file of the workspace and name the file.',
  })
