import { inputOf } from '../../store/calls.ts'
import type { CallRow } from '../../store/tables.ts'

/** What a person is asked to approve: the whole call, nothing hidden. */
export function describeCall(call: CallRow, folder: string, because: string, lineage: readonly string[] = []): string {
  const input = inputOf(call)
  const lines =
    typeof input === 'object' && input !== null
      ? Object.entries(input).map(
          ([key, value]) => `${key}: ${visible(typeof value === 'string' ? value : JSON.stringify(value))}`,
        )
      : [visible(String(input))]
  const chain = lineage.length > 0 ? ['It goes back to:', ...lineage.map(visible)] : []
  return [`${call.name} in ${visible(folder)}`, ...lines, `Asked because ${because}.`, ...chain].join('\n')
}

/** Control, bidirectional and invisible characters, but not the line feed. */
const hidden = /[^\P{C}\n]|\p{Default_Ignorable_Code_Point}/gu

/** Shows hidden characters as escapes, so that the text a person approves is the text that runs. */
export const visible = (text: string): string =>
  text.replace(hidden, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
