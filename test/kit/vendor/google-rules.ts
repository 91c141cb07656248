import { signatureOf } from './anthropic-rules.ts'
import { isRecord, listOf } from './reply.ts'

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/
const FILES = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', 'application/pdf', 'text/plain']
/** The vendor's own word for a signature that it does not check. */
const UNCHECKED = 'skip_thought_signature_validator'

/** Why generateContent would refuse this body with 400, or undefined. */
export function refusedByGoogle(body: Record<string, unknown>): string | undefined {
  const { contents, systemInstruction } = body
  if (isRecord(systemInstruction) && listOf(systemInstruction.parts).some(({ text }) => isBlank(text))) {
    return 'system_instruction.parts must not be empty.'
  }
  const names = listOf(body.tools)
    .flatMap((tool) => listOf(tool.functionDeclarations))
    .map((tool) => tool.name)
  if (names.some((name) => !NAME.test(String(name)))) {
    return 'Invalid function name. Must start with a letter or an underscore.'
  }
  if (new Set(names).size !== names.length) return 'Duplicate function declaration found.'
  if (!Array.isArray(contents) || contents.length === 0)
    return '* GenerateContentRequest.contents: contents is not specified'
  const list = listOf(contents)
  for (const [index, content] of list.entries()) {
    const reason = refusedContent(content, index) ?? refusedOrder(list, index)
    if (reason) return reason
  }
  if (list.at(-1)?.role === 'model')
    return 'Please ensure that multiturn requests end with a user role or a function response.'
  return undefined
}

function refusedContent(content: Record<string, unknown>, index: number): string | undefined {
  const where = `GenerateContentRequest.contents[${index}]`
  if (content.role !== 'user' && content.role !== 'model') return 'Please use a valid role: user, model.'
  const parts = listOf(content.parts)
  if (parts.length === 0) return `* ${where}.parts: contents.parts must not be empty.`
  for (const part of parts) {
    const { text, thoughtSignature, inlineData, functionCall, functionResponse } = part
    const data = [text, inlineData, functionCall, functionResponse].filter((value) => value !== undefined)
    if (data.length !== 1)
      return `* ${where}.parts[0].data: required oneof field 'data' must have one initialized field`
    if (text !== undefined && isBlank(text) && thoughtSignature === undefined) {
      return 'Unable to submit request because it has an empty text parameter.'
    }
    const file = isRecord(inlineData) ? String(inlineData.mimeType) : undefined
    if (file !== undefined && !FILES.includes(file)) return `Unsupported MIME type: ${file}`
    if (isRecord(functionCall) && !isRecord(functionCall.args))
      return `Invalid value at '${where}.parts[0].function_call.args'`
    if (isRecord(functionCall) && !NAME.test(String(functionCall.name))) return `Invalid function name in ${where}.`
    if (thoughtSignature !== undefined && thoughtSignature !== UNCHECKED && thoughtSignature !== signatureFor(part)) {
      return 'Corrupted thought signature.'
    }
  }
  return undefined
}

/** The signature that this stand-in gives a part, and demands back with it. */
export const signatureFor = ({ text, functionCall }: Record<string, unknown>): string =>
  signatureOf(isRecord(functionCall) ? `call ${functionCall.name}` : String(text))

function refusedOrder(contents: readonly Record<string, unknown>[], index: number): string | undefined {
  const calls = countOf(contents[index], 'functionCall')
  const results = countOf(contents[index], 'functionResponse')
  const asked = countOf(contents[index - 1], 'functionCall')
  if (calls > 0 && contents[index - 1]?.role !== 'user') {
    return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
  }
  if (results > 0 && asked === 0) {
    return 'Please ensure that function response turn comes immediately after a function call turn.'
  }
  if (asked > 0 && results !== asked) {
    return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
  }
  return undefined
}

const countOf = (content: Record<string, unknown> | undefined, field: string): number =>
  listOf(content?.parts).filter((part) => part[field] !== undefined).length

const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === ''
