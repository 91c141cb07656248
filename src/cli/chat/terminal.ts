import { StringDecoder } from 'node:string_decoder'
import { type ChatFrame, openFrame } from './frame.ts'
import { createKeys, type Key } from './keys.ts'

/** A terminal in raw mode, which is restored whatever happens. */
interface Terminal {
  readonly frame: ChatFrame
  close(): void
}

interface TerminalListener {
  key(key: Key): void
  resize(): void
  /** This process was about to write a text over the frame. */
  stray(text: string): void
}

/** How long we wait after an Esc for the rest of a key that begins with it. */
const ESCAPE_MS = 40
/** Asks the terminal to mark pastes and to tell Shift-Enter from Enter. Terminals that cannot do so ignore it. */
const enter = '\x1b[?2004h\x1b[>1u'
const leave = '\x1b[<u\x1b[?2004l'

export function openTerminal(listener: TerminalListener): Terminal {
  const { stdin, stdout, stderr } = process
  const frame = openFrame(stdout)
  const keys = createKeys(listener.key)
  const decoder = new StringDecoder('utf8')
  let timer: NodeJS.Timeout | undefined
  let open = true
  let early = true

  const onData = (bytes: Buffer): void => {
    clearTimeout(timer)
    const text = decoder.write(bytes)
    keys.push(early ? text.replaceAll('\n', '\r') : text)
    if (keys.pending) timer = setTimeout(() => keys.settle(), ESCAPE_MS)
  }
  const restore = (): void => {
    stdin.setRawMode(false)
    stdout.write(leave)
  }
  const writeError = stderr.write
  if (stderr.isTTY) {
    stderr.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      listener.stray(String(chunk))
      for (const callback of rest) if (typeof callback === 'function') callback()
      return true
    }) as typeof stderr.write
  }

  stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.resume()
  // What was typed while the server started is read first. The terminal had made its Enter a new line.
  setImmediate(() => setImmediate(() => (early = false)))
  stdout.on('resize', listener.resize)
  stdout.write(enter)
  process.once('exit', restore)

  return {
    frame,
    close() {
      if (!open) return
      open = false
      clearTimeout(timer)
      stderr.write = writeError
      stdin.off('data', onData)
      stdin.pause()
      stdout.off('resize', listener.resize)
      process.off('exit', restore)
      frame.close()
      restore()
    },
  }
}
