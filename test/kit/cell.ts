import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type CommandResult, runCommand } from '../../src/lib/process/processes.ts'
import { noGit } from '../../src/lib/sandbox/box.ts'
import { type Aftermath, type Box, enclose } from '../../src/lib/sandbox/sandbox.ts'

export interface Cell {
  readonly root: string
  readonly workspace: string
  readonly home: string
  readonly userHome: string
  readonly box: Box
  run(command: string, more?: Partial<Box>): Promise<CommandResult & Aftermath>
}

/** A workspace, a data folder and a person's home folder, and commands shut in there; outside /tmp, which commands have one of their own of. */
export function makeCell(folder = 'work'): Cell {
  const root = realpathSync(mkdtempSync(join(homedir(), 'troupe-cell-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [workspace, home, userHome] = [join(root, folder), join(root, 'home'), join(root, 'person')]
  for (const one of [workspace, home, join(userHome, '.ssh')]) mkdirSync(one, { recursive: true })
  writeFileSync(join(home, 'token'), 'canary-token')
  const box: Box = {
    mode: 'workspace',
    workspace,
    home,
    userHome,
    temp: join(home, 'tmp', 'one'),
    writable: [],
    git: noGit,
    permits: () => false,
    lasting: false,
    owner: 'one',
    hosts: [],
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
    async run(command, more = {}) {
      const env = { PATH: process.env.PATH, HOME: userHome }
      const shut = await enclose(['bash', '-c', command], { ...box, ...more }, env)
      let ending: Aftermath = {}
      const result = await runCommand({
        command,
        program: shut.program,
        declared: shut.declared,
        cwd: workspace,
        env,
        timeoutMs: 30_000,
        headTailChars: 20_000,
      }).finally(async () => {
        ending = await shut.release()
      })
      return { ...result, ...ending }
    },
  }
}
