import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { commandCaps } from '../../src/lib/process/caps.ts'
import { type CommandRequest, type CommandResult, runCommand } from '../../src/lib/process/processes.ts'
import { noGit } from '../../src/lib/sandbox/box.ts'
import { type Aftermath, type Box, enclose } from '../../src/lib/sandbox/sandbox.ts'
import { makeFolder } from './files.ts'

export interface Cell {
  readonly root: string
  readonly workspace: string
  readonly home: string
  readonly userHome: string
  readonly box: Box
  run(command: string, more?: Partial<Box>, request?: Partial<CommandRequest>): Promise<CommandResult & Aftermath>
}

/**
 * A workspace, a data folder and a person's home folder with canaries in them, and commands shut in there. They
 * lie outside /tmp, which commands have one of their own of: there everything would be hidden anyway.
 */
export function makeCell(folder = 'work'): Cell {
  const root = makeFolder(onTestFinished, homedir())
  const [workspace, home, userHome] = [join(root, folder), join(root, 'home'), join(root, 'person')]
  for (const one of [workspace, home, join(userHome, '.ssh')]) mkdirSync(one, { recursive: true })
  writeFileSync(join(home, 'token'), 'canary-token')
  writeFileSync(join(userHome, '.ssh', 'id'), 'canary-key')
  writeFileSync(join(userHome, '.netrc'), 'canary-netrc')
  writeFileSync(join(userHome, 'notes.txt'), 'readable')
  const box: Box = {
    mode: 'workspace',
    workspace,
    home,
    userHome,
    caps: commandCaps,
    writable: [],
    readable: [],
    hidden: [],
    readOnly: [],
    git: noGit,
    permits: () => false,
    lasting: false,
    owner: 'one',
    hosts: [],
    server: 'http://127.0.0.1:9',
    socket: undefined,
    watched: join(home, 'watched'),
    aside: join(home, 'aside'),
  }
  return {
    root,
    workspace,
    home,
    userHome,
    box,
    async run(command, more = {}, request = {}) {
      const env = { PATH: process.env.PATH, HOME: userHome }
      const shut = await enclose(['bash', '-c', command], { ...box, ...more }, env)
      let after: Aftermath = {}
      const result = await runCommand({
        ...shut,
        command,
        cwd: workspace,
        env,
        timeoutMs: 30_000,
        headTailChars: 20_000,
        ...request,
      }).finally(async () => {
        after = await shut.release()
      })
      return { ...result, ...after }
    },
  }
}
