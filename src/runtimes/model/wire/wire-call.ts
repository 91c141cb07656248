import type { ToolCallPart } from '../../../contract/messages.ts'

/** A call under the id and name it goes out with. */
export interface WireCall {
  readonly id: string
  readonly name: string
  readonly part: ToolCallPart
}
