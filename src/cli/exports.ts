import type { Cli } from './cli.ts'
import { connect } from './connect.ts'
import { usage } from './failure.ts'
import { print } from './print.ts'

/** A whole conversation as a document; as lines of JSON for a script. */
export async function printExport(cli: Cli, ref: string, wanted = 'md'): Promise<void> {
  if (wanted === 'recording') {
    const given = { params: { ref } }
    return print(await (await connect(cli)).call('GET /api/sessions/{ref}/recording', given))
  }
  const format = cli.json ? 'jsonl' : wanted
  if (format !== 'md' && format !== 'jsonl') throw usage(`--format must be md, jsonl or recording, not "${format}".`)
  const client = await connect(cli)
  print(await client.call('GET /api/sessions/{ref}/export', { params: { ref }, query: { format } }))
}
