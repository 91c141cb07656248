import { clean } from '../lib/hidden.ts'

/** Questions at a terminal. Their words are cleaned here, as `print.ts` does with all others. */
const prompts = () => import('@clack/prompts')

/** Somebody can be asked. What was typed to its end, as the text of a message, takes no answers any more. */
export const atTerminal = (): boolean =>
  Boolean(process.stdin.isTTY && process.stdout.isTTY && !process.stdin.readableEnded)

export async function heading(text: string): Promise<void> {
  const { intro } = await prompts()
  intro(clean(text))
}

/** Undefined when the person left the question without an answer. */
export async function confirmed(message: string, initialValue: boolean): Promise<boolean | undefined> {
  const { confirm, isCancel } = await prompts()
  const answer = await confirm({ message: clean(message), initialValue })
  return isCancel(answer) ? undefined : answer
}

interface Typed {
  /** Shown while nothing is typed. */
  readonly placeholder: string
  /** The answer when nothing is typed. */
  readonly defaultValue: string
  /** Says what is wrong with an answer. */
  problem?(value: string): string | undefined
}

export async function typed(message: string, wanted: Typed): Promise<string | undefined> {
  const { isCancel, text } = await prompts()
  const { placeholder, defaultValue, problem = () => undefined } = wanted
  const validate = (value: string | undefined) => {
    const wrong = value ? problem(value) : undefined
    return wrong === undefined ? undefined : clean(wrong)
  }
  const answer = await text({ message: clean(message), placeholder: clean(placeholder), defaultValue, validate })
  return isCancel(answer) ? undefined : answer
}

export async function chosen<T>(
  message: string,
  choices: readonly { readonly value: T; readonly label: string }[],
): Promise<T | undefined> {
  const { isCancel, select } = await prompts()
  const options = choices.map(({ label }, value) => ({ value, label: clean(label) }))
  const answer = await select({ message: clean(message), options })
  return isCancel(answer) ? undefined : choices[answer]?.value
}
