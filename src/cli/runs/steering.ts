import type { Client } from '../../client/client.ts'

/** What a person types with a slash while they watch a run. */
export interface RunCommand {
  readonly name: string
  readonly does: string
  /** Says what came of it; nothing where that can be seen. */
  run(): Promise<string | undefined>
}

export function runCommands(client: Client, id: string, leave: () => void): RunCommand[] {
  const given = { params: { id } }
  let stopping = false
  return [
    {
      name: 'pause',
      does: 'start nothing more; members stop at their next safe point',
      run: async () => void (await client.call('POST /api/runs/{id}/pause', given)),
    },
    {
      name: 'resume',
      does: 'go on where it was paused',
      run: async () => void (await client.call('POST /api/runs/{id}/resume', given)),
    },
    {
      name: 'stop',
      does: 'end it: what is open is canceled',
      async run() {
        if (!stopping) {
          stopping = true
          return 'What is open in this run would be canceled. /stop once more ends it.'
        }
        await client.call('POST /api/runs/{id}/stop', given)
        return undefined
      },
    },
    { name: 'quit', does: 'leave; the run goes on', run: async () => void leave() },
  ]
}
