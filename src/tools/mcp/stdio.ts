import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { type Ended, type Guarded, type GuardedRequest, startGuarded } from '../../lib/process/processes.ts'

/** One message may be this long. */
const MESSAGE_CHARS = 16_000_000
/** So much it may print without being asked anything. */
const UNASKED_CHARS = 64_000_000

type Program = Omit<GuardedRequest, 'onOutput' | 'onErrors' | 'listens'>

interface Heard {
  /** What it prints that is no message. */
  errors(text: string): void
  ended(how: Ended): void
}

/** Speaks with a guarded program by lines of JSON. The program dies with us, in whatever way we end. */
export function stdioTransport(program: Program, heard: Heard, parse: (line: unknown) => JSONRPCMessage): Transport {
  let child: Guarded | undefined
  let held = ''
  let unasked = 0
  let over = false

  function hear(text: string): void {
    if (over) return
    unasked += text.length
    // Only what is new is looked through: a long message comes in many pieces.
    const [first = '', ...others] = text.split('\n')
    held += first
    for (const next of others) {
      read(held)
      held = next
    }
    if (held.length > MESSAGE_CHARS) stop(`sent a message of more than ${MESSAGE_CHARS / 1_000_000} MB`)
    else if (unasked > UNASKED_CHARS) stop(`printed more than ${UNASKED_CHARS / 1_000_000} MB`)
  }

  function read(line: string): void {
    if (line.trim() === '') return
    let message: JSONRPCMessage
    try {
      message = parse(JSON.parse(line))
    } catch {
      heard.errors(`${line.slice(0, 1000)}\n`)
      return
    }
    transport.onmessage?.(message)
  }

  function stop(why: string): void {
    over = true
    held = ''
    heard.errors(`[it ${why} and was ended]\n`)
    child?.end()
  }

  const transport: Transport = {
    async start() {
      child = startGuarded({ ...program, listens: true, onOutput: hear, onErrors: heard.errors })
      const ended = (how: Ended): void => {
        over = true
        heard.ended(how)
        transport.onclose?.()
      }
      child.ended.then(ended, (error: Error) => {
        heard.errors(`${error.message}\n`)
        ended({ exitCode: null, signal: null })
      })
    },
    async send(message) {
      if (child === undefined || over) throw new Error('The program has ended.')
      unasked = 0
      child.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      // A program that could not be started has ended as well: what was made for it is given back.
      if (child === undefined && !over) heard.ended({ exitCode: null, signal: null })
      if (child === undefined) over = true
      child?.end()
      await child?.ended.catch(() => {})
    },
  }
  return transport
}
