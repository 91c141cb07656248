import { StringDecoder } from 'node:string_decoder'
import { type ChatFrame, openFrame } from './frame.ts'
import { createKeys, type Key } from './keys.ts'

/** A terminal in raw mode, given back as it was whatever happens. */
export interface Terminal {
  readonly frame: ChatFrame
  close(): void
}

export interface TerminalListener {
  key(key: Key): void
  resize(): void
  /** Something of this process was about to be written over the frame. */
  stray(text: string): void
}

/** How long an Esc may be the beginning of another key. */
const ESCAPE_MS = 40
/** Pastes are marked as such; Shift-Enter is told from Enter. Terminals that know neither ignore both. */
const enter = '\x1b[?2004h\x1b[>1u'
const leave = '\x1b[<u\x1b[?2004l'

export function openTerminal(listener: TerminalListener): Terminal {
  const { stdin, stdout, stderr } = process
  const frame = openFrame(stdout)
  const keys = createKeys(listener.key)
  const decoder = new StringDecoder('utf8')
  let timer: NodeJS.Timeout | undefined
  let open = true

  const onData = (bytes: Buffer): void => {
    clearTimeout(timer)
    keys.push(decoder.write(bytes))
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
