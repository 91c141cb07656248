import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PermissionRules } from '../../src/contract/agents.ts'
import { type Judge, judge, type Verdict } from '../../src/core/permissions/judge.ts'
import { builtInTools } from '../../src/tools/index.ts'
import { makeFolder, putFile } from './files.ts'

export interface Bench {
  readonly root: string
  readonly workspace: string
  readonly home: string
  readonly outside: string
  put(path: string, content: string): string
  judge(name: string, input: unknown, more?: Partial<Judge>): Promise<Verdict>
  bash(command: string, more?: Partial<Judge>): Promise<Verdict['verdict']>
}

/** Temporary folders and a judge over calls in them; no call is run. */
export function makeBench(rules: PermissionRules = {}): Bench {
  const root = makeFolder()
  const [workspace, home, outside] = [join(root, 'work'), join(root, '.troupe'), join(root, 'elsewhere')]
  for (const folder of [workspace, home, outside]) mkdirSync(folder, { recursive: true })
  const by: Judge = {
    tools: new Map(builtInTools.map((tool) => [tool.name, tool])),
    sources: [{ from: 'settings.json', rules }],
    own: { from: 'agent tester', rules: {} },
    makers: [],
    granted: [],
    unattended: 'wait',
    sessionId: 'a'.repeat(32),
    sandbox: () => ({ mode: 'off', unavailable: false }),
    workspace,
    projectPath: workspace,
    home,
    userHome: root,
    env: { PATH: process.env.PATH, HOME: root },
  }
  const ask: Bench['judge'] = (name, input, more) => judge({ ...by, ...more }, { name, input })
  return {
    root,
    workspace,
    home,
    outside,
    put: (path, content) => putFile(join(workspace, path), content),
    judge: ask,
    bash: async (command, more) => (await ask('bash', { command }, more)).verdict,
  }
}

export async function verdicts(bench: Bench, lines: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const line of lines) found[line] = await bench.bash(line)
  return found
}

/** What `verdicts` gives when every line gets the same. */
export const each = (lines: readonly string[], verdict: string): Record<string, string> =>
  Object.fromEntries(lines.map((line) => [line, verdict]))
