import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bin, type Desk, gone, isAlive } from './desk.ts'
import { newFolder } from './files.ts'
import { seldomer } from './processes.ts'

export interface Terminal {
  /** Types text as it is. */
  type(text: string): void
  /** Presses keys by the names tmux has for them: Enter, Escape, C-c, M-Enter, Up. */
  press(...keys: string[]): void
  paste(text: string): void
  resize(columns: number, rows: number): void
  screen(): string
  /** The screen and all that has scrolled away above it. */
  scrollback(): string
  /** The screen with its colours. */
  coloured(): string
  /** Waits until this is on the screen, and returns it. */
  shows(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string>
  /** Ends the program and waits for its end: otherwise it would start the server again that the desk ends. */
  close(): Promise<void>
}

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Record<string, string>
}

export const hasTmux = spawnSync('tmux', ['-V']).error === undefined
if (!hasTmux) console.error('!!! tmux IS NOT INSTALLED: the terminal chat is not tested. Install it and run again.')

const LOOK_MS = 50
/** Each look is a process. */
const SELDOM_MS = 200
const PATIENCE_MS = 40_000

/** The program in a real terminal emulator. When it ends, its exit code is on the screen: "exit 0". */
export function openTerminal(desk: Desk, words: readonly string[], options: TerminalOptions = {}): Terminal {
  const folder = newFolder()
  const socket = join(folder, 'socket')
  const tmux = (...args: string[]): string => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    LANG: 'C.UTF-8',
    TERM: 'tmux-256color',
    TROUPE_HOME: desk.home,
    TROUPE_PORT: '0',
    TROUPE_DEMO_DELAY_MS: '0',
    ...options.env,
  }
  const set = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`)
  const program = ['exec env -i', ...set, quoted(process.execPath), quoted(bin), ...words.map(quoted)].join(' ')
  const command = `sh -c ${quoted(`echo $$ > ${quoted(join(folder, 'pid'))}; ${program}`)}`
  const size = ['-x', String(options.columns ?? 80), '-y', String(options.rows ?? 24)]
  tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-s',
    'chat',
    ...size,
    '-c',
    desk.project,
    `${command}; echo "exit $?"; cat`,
  )
  const screen = (...more: string[]): string => tmux('capture-pane', '-p', '-t', 'chat', ...more)

  return {
    type: (text) => void tmux('send-keys', '-t', 'chat', '-l', text),
    press: (...keys) => void tmux('send-keys', '-t', 'chat', ...keys),
    paste(text) {
      tmux('set-buffer', text)
      tmux('paste-buffer', '-p', '-t', 'chat')
    },
    resize: (columns, rows) => void tmux('resize-window', '-t', 'chat', '-x', String(columns), '-y', String(rows)),
    screen: () => screen(),
    scrollback: () => screen('-S', '-'),
    coloured: () => screen('-e'),
    async shows(wanted) {
      let seen = ''
      let waitMs = LOOK_MS
      for (let waited = 0; waited < PATIENCE_MS; waited += waitMs) {
        seen = screen()
        if (matches(seen, wanted)) return seen
        await pause(waitMs)
        waitMs = seldomer(waitMs, SELDOM_MS)
      }
      throw new Error(`It does not show ${wanted}, but:\n${seen}`)
    },
    async close() {
      const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
      if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      await gone(pid)
      spawnSync('tmux', ['-S', socket, 'kill-server'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function matches(screen: string, wanted: string | RegExp | ((screen: string) => boolean)): boolean {
  if (typeof wanted === 'string') return screen.includes(wanted)
  return typeof wanted === 'function' ? wanted(screen) : wanted.test(screen)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
