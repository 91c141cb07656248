import { troupe } from './called.ts'
import type { Cli } from './cli.ts'
import { connect } from './connect.ts'
import { usage } from './failure.ts'
import { print } from './print.ts'
import { isRunRef, runMeant } from './runs/ref.ts'

/** A whole conversation or run as a document; as lines of JSON for a script. */
export async function printExport(cli: Cli, ref: string, wanted = 'md'): Promise<void> {
  if (wanted === 'recording') {
    if (isRunRef(ref))
      throw usage(
        '--format must be md or jsonl for a run.',
        `A recording is of a conversation: "${troupe} runs show ${ref} --json" has the session of its coordinator.`,
      )
    const given = { params: { ref } }
    return print(await (await connect(cli)).call('GET /api/sessions/{ref}/recording', given))
  }
  const format = cli.json ? 'jsonl' : wanted
  if (format !== 'md' && format !== 'jsonl') throw usage(`--format must be md, jsonl or recording, not "${format}".`)
  const client = await connect(cli)
  const run = await runMeant(client, ref)
  if (run !== undefined)
    return print(await client.call('GET /api/runs/{id}/export', { params: { id: run.id }, query: { format } }))
  print(await client.call('GET /api/sessions/{ref}/export', { params: { ref }, query: { format } }))
}
