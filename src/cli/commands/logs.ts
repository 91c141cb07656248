import { closeSync, existsSync, openSync, readSync, statSync, unwatchFile, watchFile } from 'node:fs'
import type { Command } from 'commander'
import { troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { exits, Failure, usage } from '../failure.ts'
import { print, say } from '../print.ts'
import { logFile, printedFile } from '../server.ts'

const CHUNK = 256 * 1024

export default function define(command: Command): void {
  command
    .option('-n, --lines <number>', 'how many of the last lines', '50')
    .option('-f, --follow', 'go on as it grows, until Ctrl-C')
    .option('--printed', 'what a server in the background printed, such as why it did not start')
    .action(action(logs))
}

async function logs(cli: Cli, options: { lines: string; follow?: boolean; printed?: boolean }): Promise<void> {
  const lines = Number(options.lines)
  if (!Number.isInteger(lines) || lines < 0) throw usage(`--lines must be a number, not "${options.lines}".`)
  const file = options.printed ? printedFile(cli.home) : logFile(cli.home)
  if (!existsSync(file)) {
    throw new Failure(exits.failed, `There is no log yet at ${file}.`, {
      code: 'cli.no_log',
      hint: `A server writes it: start one with "${troupe} up".`,
    })
  }
  const size = statSync(file).size
  const start = Math.max(0, size - CHUNK)
  const text = readPart(file, start, size)
  const kept = text.trimEnd().split('\n').slice(-lines)
  if (text !== '' && lines > 0) say(kept.join('\n'))
  if (options.follow) await follow(file, size)
}

/** Looks at the size twice a second, which works on every file system. A log that was rotated is read from the start. */
function follow(file: string, from: number): Promise<void> {
  let offset = from
  return new Promise((resolve) => {
    watchFile(file, { interval: 500 }, ({ size }) => {
      if (size < offset) offset = 0
      while (offset < size) {
        const end = Math.min(size, offset + CHUNK)
        print(readPart(file, offset, end))
        offset = end
      }
    })
    process.once('SIGINT', () => {
      unwatchFile(file)
      resolve()
    })
  })
}

function readPart(file: string, start: number, end: number): string {
  const fd = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(end - start)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, start))
  } finally {
    closeSync(fd)
  }
}
