import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { gone, openDesk } from '../kit/desk.ts'
import { hasTmux, openTerminal, type Terminal, type TerminalOptions } from '../kit/terminal.ts'

const desk = openDesk()
let terminal: Terminal

beforeAll(async () => {
  desk.put('src/main.ts', 'export const one = 1\n')
  await desk.run('up', '--detach')
})
afterEach(() => terminal?.close())
afterAll(() => desk.close())

const READY = 'Say something to'

async function chat(agent = 'assistant', options: TerminalOptions = {}): Promise<Terminal> {
  terminal = openTerminal(desk, ['chat', agent, '--new'], options)
  await terminal.shows(READY)
  return terminal
}

async function say(text: string): Promise<void> {
  terminal.type(text)
  terminal.press('Enter')
}

/** The rules above the line where one types: there is one, whatever happened before. */
const frames = (screen = terminal.screen()): string[] => screen.match(/─{30,}/g) ?? []

describe.runIf(hasTmux)('the chat of a terminal', () => {
  test('says what was said, what came back, and at the bottom who, with what and at what cost', async () => {
    await chat()
    await say('hello')
    const screen = await terminal.shows(/assistant [0-9a-f]{4,} · demo\/demo · .* · \$0 · idle/)
    expect(screen).toContain('› hello')
    expect(screen).toContain('• "list the files" or "read README.md"')
    expect(frames()).toHaveLength(1)
  })

  test('folds tool calls into lines with their time, and Ctrl-O opens them with the diff', async () => {
    await chat()
    await say('write notes.md: buy milk')
    await terminal.shows(/▸ write_file notes\.md {2}\+1 {2}[\d.]+ m?s/)
    await terminal.shows('notes.md is written')
    expect(terminal.screen()).not.toContain('+ buy milk')
    terminal.press('C-o')
    expect(await terminal.shows('what the last tools did')).toContain('│ + buy milk')
    terminal.press('C-o')
    await terminal.shows((screen) => !screen.includes('what the last tools did'))
  })

  test('asks inline; o and Enter let a command run, Enter queues meanwhile, Esc stops it, and then nothing is left to stop', async () => {
    await chat('coder')
    await say('run sleep 600')
    expect(await terminal.shows('waiting for you')).toContain('command: sleep 600')
    terminal.type('o')
    await terminal.shows('▸ o allow this one')
    terminal.press('Enter')
    await terminal.shows(/bash sleep 600 {2}\d/)
    await say('list the files')
    await terminal.shows('queued › list the files')
    terminal.press('Escape')
    await terminal.shows('canceled')
    await terminal.shows(/These are the files[\s\S]* · idle/)
    expect(terminal.screen()).not.toContain('queued ›')
    await say('/cancel')
    await terminal.shows('there is nothing to stop')
  })

  test('a sentence typed into an approval does not approve it; denied with a reason it does not run', async () => {
    await chat('coder')
    await say('run touch ran.txt')
    await terminal.shows('waiting for you')
    await say('a better idea')
    // The line is empty again, so that the next key typed is the answer.
    await terminal.shows('Say o (once), s (session), a (always) or d (deny)')
    await say('d not on my machine')
    expect(await terminal.shows('idle')).toContain('→ deny: not on my machine')
    expect(() => readFileSync(join(desk.project, 'ran.txt'))).toThrow()
  })

  test('the arrows choose among the options of a question', async () => {
    await chat()
    await say('ask me something')
    await terminal.shows('Which colour do you like best?')
    terminal.press('Down', 'Down')
    await terminal.shows('▸ 2 green')
    terminal.press('Enter')
    expect(await terminal.shows('You answered:')).toContain('→ green')
  })

  test('what one was typing when a question came is no answer, and is there again afterwards', async () => {
    await chat()
    await say('hello')
    const handle = /assistant ([0-9a-f]{4,}) ·.* idle/.exec(await terminal.shows('idle'))![1]!
    terminal.type('half a thought')
    await terminal.shows('› half a thought')
    await desk.run('send', handle, '--wait', 'ask me something')
    expect(await terminal.shows('waiting for you')).not.toContain('› half a thought')
    await say('1')
    expect(await terminal.shows('› half a thought')).toContain('→ red')
  })

  test('a paste of several lines is one message, sent when Enter is pressed', async () => {
    await chat()
    terminal.paste('first line\nsecond line\n')
    await terminal.shows('second line')
    expect(terminal.screen()).toContain('new')
    terminal.press('Enter')
    await terminal.shows(/› first line\n {2}second line[\s\S]*idle/)
  })

  test('commands are offered as they are typed, and say when they are done', async () => {
    await chat()
    await say('hello')
    await terminal.shows('idle')
    terminal.type('/fo')
    await terminal.shows('▸ /fork')
    terminal.press('Enter')
    await terminal.shows(/Now in [0-9a-f]+, a copy of/)
    await say('/clear')
    await terminal.shows('/clear again does it')
    await say('/nothing')
    await terminal.shows('There is no /nothing; /help')
    await say('/modle demo/demo')
    await terminal.shows('There is no /modle. Did you mean /model?')
    await say('/why')
    await terminal.shows('it has nothing to do')
    await say('/usr is full')
    await terminal.shows('› /usr is full')
    await say('/compact the names')
    await terminal.shows('It is compacted at its next safe point.')
  })

  test('files are offered behind an at sign', async () => {
    await chat()
    terminal.type('read @mai')
    await terminal.shows('▸ src/main.ts')
    terminal.press('Tab')
    await terminal.shows('› read @src/main.ts')
  })

  test('keeps one frame and loses no line when the window changes, narrow and wide', async () => {
    await chat('assistant', { columns: 200, rows: 50 })
    await say('hello')
    await terminal.shows('idle')
    for (const [columns, rows] of [
      [80, 24],
      [40, 12],
      [200, 50],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows)
      const rule = '─'.repeat(columns - 1)
      await terminal.shows((screen) => frames(screen).join() === rule)
    }
    expect(terminal.scrollback()).toContain('› hello')
  })

  test('what waits in another session is told in one line', async () => {
    await chat()
    await desk.run('send', 'writer', '--new', '--wait', 'ask me about the moon')
    await terminal.shows(/question from writer [0-9a-f]+: What should I know about the moon/)
  })

  test('without colours where the person wants none', async () => {
    await chat('assistant', { env: { NO_COLOR: '1' } })
    await say('hello')
    await terminal.shows('idle')
    expect(terminal.coloured()).not.toContain('\x1b[')
  })

  test('Ctrl-C twice leaves, says how to go on, and gives the terminal back', async () => {
    await chat()
    await say('hello')
    await terminal.shows('idle')
    terminal.press('C-c')
    await terminal.shows('Ctrl-C again leaves')
    terminal.press('C-c')
    const screen = await terminal.shows('exit 0')
    expect(screen).toContain('troupe chat --session')
    expect(frames()).toEqual([])
    terminal.type('echoed again')
    await terminal.shows('echoed again')
  })

  test('one Ctrl-C alone is forgotten after a while', async () => {
    await chat()
    terminal.press('C-c')
    await terminal.shows('Ctrl-C again leaves')
    expect(await terminal.shows((screen) => !screen.includes('Ctrl-C again leaves'))).toContain('/ commands')
    terminal.press('C-c')
    expect(await terminal.shows('Ctrl-C again leaves')).not.toContain('exit')
  })

  test('goes on when its server is killed', async () => {
    await chat()
    await say('ask me something')
    await terminal.shows('waiting for you')
    const { pid } = desk.server()!
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    await terminal.shows('The server went away')
    await say('3')
    await terminal.shows('You answered:')
    await terminal.shows('idle')
    expect(frames()).toHaveLength(1)
    expect(terminal.scrollback().match(/Starting the server/g)).toHaveLength(1)
  })
})
