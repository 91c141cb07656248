import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PermissionRules } from '../../src/contract/agents.ts'
import { type Judge, judge, type Verdict } from '../../src/core/permissions/judge.ts'
import { builtInTools } from '../../src/tools/index.ts'

export interface Bench {
  readonly root: string
  readonly workspace: string
  readonly home: string
  readonly outside: string
  put(path: string, content: string): string
  judge(name: string, input: unknown, more?: Partial<Judge>): Promise<Verdict>
  bash(command: string, more?: Partial<Judge>): Promise<Verdict['verdict']>
}

/** Folders of their own and the judge in front of them; nothing runs. */
export function makeBench(rules: PermissionRules = {}): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-judge-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
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
    workspace,
    projectPath: workspace,
    home,
    userHome: root,
  }
  const ask: Bench['judge'] = (name, input, more) => judge({ ...by, ...more }, { name, input })
  return {
    root,
    workspace,
    home,
    outside,
    put(path, content) {
      const file = join(workspace, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      return file
    },
    judge: ask,
    bash: async (command, more) => (await ask('bash', { command }, more)).verdict,
  }
}
