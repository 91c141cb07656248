import { parentPort } from 'node:worker_threads'
import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import type { CheckMessage, CheckRequest } from './check.ts'

/** Checks one value after the other (check.ts) in a thread that can be killed. */

const SHOWN = 5

parentPort?.on('message', (request: CheckRequest) => {
  const post = (message: CheckMessage) => parentPort?.postMessage(message)
  try {
    post({ problems: problemsOf(request) })
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) })
  }
})

parentPort?.postMessage('ready')

function problemsOf({ schema, value }: CheckRequest): string[] {
  const validator = new Validator(schema as Schema, draftOf(schema as Schema), false)
  const { valid, errors } = validator.validate(value)
  if (valid) return []
  const told = [...new Set(errors.filter(saysWhat).map(inWords))]
  return told.length > SHOWN ? [...told.slice(0, SHOWN), `and ${told.length - SHOWN} more`] : told
}

/** What only says that something inside does not fit is left out: that is told itself. */
const around = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', '$ref', '$dynamicRef', '$recursiveRef', 'allOf'],
])

const saysWhat = ({ keyword }: OutputUnit): boolean => !around.has(keyword)

function inWords({ keyword, instanceLocation, error }: OutputUnit): string {
  const field = decodeURIComponent(instanceLocation).replace(/^#\/?/, '').replaceAll('/', '.') || 'the input'
  return `${field}: ${keyword === 'false' ? 'is not a field that it takes.' : error}`
}

/** Who names no draft means the newest. */
function draftOf({ $schema = '' }: Schema): SchemaDraft {
  if (/draft-0?4/.test($schema)) return '4'
  if (/draft-0?[67]/.test($schema)) return '7'
  return $schema.includes('2019-09') ? '2019-09' : '2020-12'
}
