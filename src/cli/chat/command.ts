import type { Suggestion } from './completion.ts'

export interface Command {
  readonly name: string
  readonly does: string
  /** Returns what to say when it is done; each line is shown beside the conversation. */
  run(argument: string): Promise<readonly string[]>
  /** What may follow the command. */
  suggest?(): Promise<readonly Suggestion[]>
}
