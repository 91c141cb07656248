import type { Cli } from './cli.ts'
import { connect } from './connect.ts'
import { usage } from './failure.ts'
import { print } from './print.ts'

/** A whole conversation as a document; as lines of JSON for a script. */
export async function printExport(cli: Cli, ref: string, wanted = 'md'): Promise<void> {
  const format = cli.json ? 'jsonl' : wanted
  if (format !== 'md' && format !== 'jsonl') throw usage(`--format must be md or jsonl, not "${format}".`)
  const client = await connect(cli)
  print(await client.call('GET /api/sessions/{ref}/export', { params: { ref }, query: { format } }))
}
