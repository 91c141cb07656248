import type { Suggestion } from './completion.ts'

export interface Command {
  readonly name: string
  readonly does: string
  /** Returns what to say when it is done; each line is shown beside the conversation. */
  run(argument: string): Promise<readonly string[]>
  /** What may follow the command. */
  suggest?(): Promise<readonly Suggestion[]>
}

/** "/modle x" was meant as a command, "/usr is full" was not. */
export const isCommand = (word: string, text: string, near: string | undefined): boolean =>
  /^\/[a-z][\w.:-]*$/i.test(word) && (word === text || near !== undefined)

export const unknown = (word: string, near: string | undefined): string =>
  `There is no ${word}${near ? `. Did you mean /${near}?` : ';'} /help says what there is.`
