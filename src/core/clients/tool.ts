import type { ClientTool } from '../../contract/client-tools.ts'
import { AppError } from '../../contract/errors.ts'
import type { Tool, ToolContext } from '../base/index.ts'
import { parkForClient } from '../waits/index.ts'

const TIMEOUT_SECONDS = 60
const OUTPUT_CHARS = 20_000

/** Whose program it is, and what it is called. */
export interface Offerer {
  readonly key: string
  readonly client: string
}

/** A call of it is parked; whoever keeps the connection sends it to the client. */
export function toolOf(offered: ClientTool, { key, client }: Offerer): Tool {
  const { name, description, inputSchema = { type: 'object' }, capabilities = [], parallel = false } = offered
  const seconds = offered.timeoutSeconds ?? TIMEOUT_SECONDS
  return {
    name,
    description,
    input: { jsonSchema: inputSchema },
    capabilities,
    parallel,
    // Until it is parked nobody was told of it, so it can be parked again after a crash.
    idempotent: true,
    // An answer is cut when it comes, and the note about that is kept.
    maxOutputChars: OUTPUT_CHARS + 200,
    origin: { source: 'client', place: client, group: client },
    async run(input, { core }: ToolContext) {
      const json = JSON.stringify(input ?? {})
      if (core.mask(json) !== json)
        throw new AppError(
          'tool.failed',
          `The input of ${name} holds a secret, which is not kept, so it cannot wait.`,
          {
            hint: 'Leave the secret out.',
          },
        )
      return parkForClient({ key, client, seconds, until: core.clock.now() + seconds * 1000 })
    },
  }
}
