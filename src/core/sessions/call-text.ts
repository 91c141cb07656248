import { visible } from '../../lib/hidden.ts'
import { inputOf } from '../../store/calls.ts'
import type { CallRow } from '../../store/tables.ts'

/** What a person is asked to approve: the whole call, nothing hidden. Lines of a value cannot pass for lines of ours. */
export function describeCall(call: CallRow, folder: string, because: string, lineage: readonly string[] = []): string {
  const input = inputOf(call)
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input] as const]
  const lines = fields.map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const mark = changes[call.name]?.[key]
    return mark === undefined ? `${indented(key)}: ${indented(text)}` : marked(text, mark)
  })
  const chain = lineage.length > 0 ? ['It goes back to:', ...lineage.map(indented)] : []
  return visible(
    [`${call.name} in ${indented(folder)}`, ...lines, `Asked because ${indented(because)}.`, ...chain].join('\n'),
  )
}

/** What these calls take out of a file and put into it is shown as in a diff. */
const changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  edit_file: { old_string: '- ', new_string: '+ ' },
  write_file: { content: '+ ' },
}

const marked = (text: string, mark: string): string => text.replace(/\n$/, '').replace(/^/gm, mark)

const indented = (text: string | undefined): string => String(text).replaceAll('\n', '\n  ')
