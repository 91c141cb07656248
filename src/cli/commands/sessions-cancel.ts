import type { Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { oneLine, paint, say, tell } from '../print.ts'

/** Ends what a session does, and with --tree all that was made by it. */
export async function cancel(
  cli: Cli,
  ref: string,
  _words: string[],
  { tree }: Record<string, string | undefined>,
): Promise<void> {
  const client = await connect(cli)
  const asked = { params: { ref }, query: { tree: tree !== undefined } }
  tell(cli, await client.call('POST /api/sessions/{ref}/cancel', asked), ({ handle, title, status }) =>
    say(`${paint('green', '✓')} ${handle} ${oneLine(title, 50)} (${status})`),
  )
}
