import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline'
import { forTerminal, note, paint, print } from './print.ts'

/** Where a conversation is shown and typed: a terminal, or the two ends of a pipe. */
export interface Screen {
  /** True when a person types here; otherwise lines are piped in, one message each. */
  readonly interactive: boolean
  readonly lines: AsyncIterable<string>
  write(text: string): void
  /** Shows what is beside the conversation, such as tool calls. In a pipe it is kept apart from the replies. */
  aside(text: string): void
  /** It is the person's turn to type. */
  prompt(label: string): void
  onInterrupt(listener: () => void): void
  close(): void
}

export const openScreen = (): Screen => (process.stdin.isTTY && process.stdout.isTTY ? terminal() : pipe())

function pipe(): Screen {
  const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  let onInterrupt = (): void => {}
  const interrupted = (): void => onInterrupt()
  process.on('SIGINT', interrupted)
  return {
    interactive: false,
    lines: linesOf(input),
    write: print,
    aside: note,
    prompt: () => {},
    onInterrupt: (listener) => {
      onInterrupt = listener
    },
    close() {
      process.off('SIGINT', interrupted)
      input.close()
    },
  }
}

/** Output pauses while the person types a line, so that the two do not mix. */
function terminal(): Screen {
  const { stdin: input, stdout: output } = process
  const line = createInterface({ input, output, terminal: true, historySize: 200 })
  let held = ''
  let prompting = false
  let midLine = false
  let label = ''

  function write(text: string): void {
    if (line.line !== '') {
      held += text
      return
    }
    if (prompting) hidePrompt()
    print(text)
    midLine = !text.endsWith('\n')
  }
  function hidePrompt(): void {
    clearLine(output, 0)
    cursorTo(output, 0)
    prompting = false
  }
  function prompt(text: string): void {
    if (line.line !== '') return
    label = text
    if (prompting) hidePrompt()
    if (midLine) output.write('\n')
    midLine = false
    line.setPrompt(forTerminal(paint('cyan', label)))
    line.prompt()
    prompting = true
  }
  function flush(): void {
    const text = held
    held = ''
    if (text) write(text)
  }

  // The first key that is typed while a reply is written opens a line of its own.
  input.prependListener('keypress', (text: string | undefined, key: { ctrl?: boolean } | undefined) => {
    if (!prompting && line.line === '' && text && text >= ' ' && !key?.ctrl) prompt('(next) › ')
  })
  input.on('keypress', () => {
    if (line.line === '') flush()
  })
  line.on('line', () => {
    prompting = false
    midLine = false
    setImmediate(flush)
  })
  return {
    interactive: true,
    lines: linesOf(line),
    write,
    aside(text) {
      const asked = prompting && line.line === ''
      write(`${midLine ? '\n' : ''}${paint('dim', text)}\n`)
      if (asked) prompt(label)
    },
    prompt,
    onInterrupt: (listener) => void line.on('SIGINT', listener),
    close() {
      if (prompting) output.write('\n')
      line.close()
    },
  }
}

/** Listens from now on: otherwise what is piped in before the first line is asked for would be lost. */
function linesOf(input: Interface): AsyncIterable<string> {
  const iterator = input[Symbol.asyncIterator]()
  return { [Symbol.asyncIterator]: () => iterator }
}
