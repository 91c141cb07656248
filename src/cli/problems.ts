import type { Client } from '../client/client.ts'
import type { Problem } from '../contract/agents.ts'
import { asCalled, troupe } from './called.ts'
import type { Cli } from './cli.ts'
import { note, warn } from './print.ts'

const SHOWN = 3

/** Warns a person whose settings do not hold as written. A session may not read settings, so it is not warned. */
export async function warnAboutSettings(
  cli: Cli,
  client: Client,
  isTold: (problem: Problem) => boolean = () => true,
): Promise<void> {
  if (cli.acting) return
  const { problems } = await client.call('GET /api/settings')
  const lines = inLines(problems.filter(isTold))
  for (const line of lines.slice(0, SHOWN)) warn(line)
  if (lines.length > SHOWN) warn(`and ${lines.length - SHOWN} more: see "${troupe} doctor".`)
  if (lines.length > 0) note(`Until then it does not hold as written; "${troupe} config list" shows what holds.`)
}

/** One line for each problem. Of a file that is not JSON only the first is shown: the others follow from it. */
export function inLines(problems: readonly Problem[]): string[] {
  const groups = Map.groupBy(problems, ({ file, field, message }) => (field ? `${file}\0${field}\0${message}` : file))
  return [...groups.values()].map((group) => {
    const { file, field, message } = group[0]!
    return asCalled(`${file}${field ? `, ${field}` : ''}: ${message}`)
  })
}
