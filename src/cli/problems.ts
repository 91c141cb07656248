import type { Client } from '../client/client.ts'
import type { Problem } from '../contract/agents.ts'
import type { Cli } from './cli.ts'
import { clean, note, warn } from './print.ts'

const SHOWN = 3

/** Who goes on with settings that are not what they wrote learns it where they are. Sessions may not read settings. */
export async function warnAboutSettings(cli: Cli, client: Client): Promise<void> {
  if (cli.acting) return
  const { problems } = await client.call('GET /api/settings')
  const lines = inLines(problems)
  for (const line of lines.slice(0, SHOWN)) warn(line)
  if (lines.length > SHOWN) warn(`and ${lines.length - SHOWN} more: see "troupe doctor".`)
  if (lines.length > 0)
    note('Until that is repaired it does not count as written; what does is in "troupe config list".')
}

/** One line each; of a file that is not JSON only where it begins to go wrong: the rest follows from that. */
export function inLines(problems: readonly Problem[]): string[] {
  const groups = Map.groupBy(problems, ({ file, field, message }) => (field ? `${file}\0${field}\0${message}` : file))
  return [...groups.values()].map((group) => {
    const { file, field, message } = group[0]!
    return clean(`${file}${field ? `, ${field}` : ''}: ${message}`)
  })
}
