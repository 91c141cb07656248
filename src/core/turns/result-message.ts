import type { ToolResultPart } from '../../contract/messages.ts'
import type { NewMessage } from '../../store/messages.ts'
import type { CallRow } from '../../store/tables.ts'
import type { ToolOutput } from '../base/index.ts'

/** The result of a call as a message of the log. */
export function resultMessage(call: CallRow, result: ToolOutput): NewMessage {
  const part: ToolResultPart = {
    type: 'tool-result',
    callId: call.id,
    vendorCallId: call.vendor_call_id,
    name: call.name,
    output: result.output,
    ...(result.error ? { error: true } : {}),
    ...(result.files === undefined ? {} : { files: [...result.files] }),
  }
  return { role: 'tool', parts: [part], turnId: call.turn_id }
}
