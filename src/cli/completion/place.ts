import type { Argument, Command, Option } from 'commander'

/** Where the cursor is: the command, the word that was begun, and what may stand there. */
export interface CompletionPlace {
  readonly command: Command
  /** The word up to the cursor; for "--option=value" only the value. */
  readonly typed: string
  /** What has to stand in front of each value again, such as "--option=". */
  readonly before: string
  /** Options that are given already. */
  readonly given: ReadonlySet<Option>
  /** Values of options, by the name of their attribute. */
  readonly values: Readonly<Record<string, string>>
  readonly expects: Option | Argument | undefined
  readonly mayBeCommand: boolean
  readonly mayBeOption: boolean
}

/** Reads an unfinished line as commander would read a whole one. `load` loads a command that is only named so far. */
export async function findPlace(
  program: Command,
  words: readonly string[],
  load: (command: Command) => Promise<void>,
): Promise<CompletionPlace> {
  const given = new Set<Option>()
  const values: Record<string, string> = {}
  let command = program
  let taken = 0
  let waiting: Option | undefined
  let onlyArguments = false

  for (const word of words.slice(0, -1)) {
    // bash cuts "--option=value" into three words.
    if (word === '=' && waiting) continue
    if (waiting && isValueOf(waiting, word)) {
      values[waiting.attributeName()] = word
      waiting = undefined
      continue
    }
    waiting = undefined
    if (word === '--') onlyArguments = true
    else if (word.startsWith('-') && !onlyArguments) {
      const [name = '', value] = word.split(/=(.*)/s)
      const option = optionNamed(command, name)
      if (!option) continue
      given.add(option)
      if (value !== undefined) values[option.attributeName()] = value
      else if (option.required || option.optional) waiting = option
    } else {
      const next = taken === 0 ? command.commands.find((it) => it.name() === word) : undefined
      if (next) command = next
      else taken += 1
      if (next?.parent === program) await load(next)
    }
  }

  const last = words.at(-1) ?? ''
  const assigned = waiting || onlyArguments ? null : /^(--[^=]+=)(.*)$/s.exec(last)
  const option = assigned ? optionNamed(command, assigned[1]?.slice(0, -1) ?? '') : waiting
  const isOption = option !== undefined && (option.required || assigned !== null)
  return {
    command,
    typed: assigned?.[2] ?? (waiting && last === '=' ? '' : last),
    before: assigned?.[1] ?? '',
    given,
    values,
    expects: isOption ? option : argumentAt(command, taken),
    mayBeCommand: !isOption && taken === 0,
    mayBeOption: !isOption && !onlyArguments,
  }
}

/** The command's own options, those of its default subcommand, and those of the commands above it. */
export function optionsOf(command: Command): Option[] {
  const byDefault = defaultOf(command)
  const lines = [command, ...(byDefault ? [byDefault] : [])]
  for (let above = command.parent; above; above = above.parent) lines.push(above)
  const help = command.createHelp()
  const seen = new Set<string>()
  return lines.flatMap((it) => help.visibleOptions(it)).filter((it) => !seen.has(it.flags) && seen.add(it.flags))
}

const optionNamed = (command: Command, name: string): Option | undefined =>
  optionsOf(command).find(({ long, short }) => long === name || short === name)

/** Commander has no public way to ask for the default subcommand. */
function defaultOf(command: Command): Command | undefined {
  const name = (command as Command & { _defaultCommandName?: string | null })._defaultCommandName
  return command.commands.find((it) => it.name() === name)
}

/** All our optional values are numbers. Commander takes any word, but in `send --wait coder` the word is an agent. */
const isValueOf = (option: Option, word: string): boolean =>
  option.required || (option.optional && /^\d+(\.\d+)?$/.test(word))

function argumentAt(command: Command, at: number): Argument | undefined {
  const all = (command.registeredArguments.length ? command : (defaultOf(command) ?? command)).registeredArguments
  const last = all.at(-1)
  return all[at] ?? (last?.variadic ? last : undefined)
}
