import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import type { Top } from '../../contract/top.ts'
import { openTerminal } from '../chat/terminal.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { say, tell } from '../print.ts'
import { atTerminal } from '../questions.ts'
import { topLines } from '../top-lines.ts'

export default function define(command: Command): void {
  command
    .option('--here', 'only this project')
    .option('--once', 'print it once; so it is also where no terminal is')
    .action(action(top))
}

const LOOK_MS = 1000
const WIDTH = 120

async function top(cli: Cli, { here = false, once = false }: { here?: boolean; once?: boolean }): Promise<void> {
  const client = await connect(cli)
  const query = here ? {} : { project: '*' }
  if (!cli.json && !once && atTerminal()) return watch(client, query)
  tell(cli, await client.call('GET /api/top', { query }), (found) => {
    for (const line of topLines(found, process.stdout.columns ?? WIDTH)) say(line)
  })
}

async function watch(client: Client, query: { project?: string }): Promise<void> {
  const left = new AbortController()
  let shown: Top | undefined
  const draw = (): void => {
    if (shown === undefined) return
    const { width, rows } = terminal.frame
    const lines = [...topLines(shown, width, Date.now(), rows - 2).slice(0, rows - 2), 'q leaves']
    terminal.frame.draw(lines, { row: lines.length - 1, column: 0 })
  }
  const terminal = openTerminal({
    key: ({ name, text }) => void ((text === 'q' || ['ctrl-c', 'escape'].includes(name)) && left.abort()),
    resize: draw,
    stray: () => {},
  })
  try {
    while (!left.signal.aborted) {
      shown = await client.call('GET /api/top', { query })
      draw()
      await pause(LOOK_MS, undefined, { signal: left.signal }).catch(() => {})
    }
  } finally {
    terminal.close()
  }
}
