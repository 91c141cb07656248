import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface House {
  readonly home: string
  readonly project: string
}

export const AGENT = 'bench'
export const MODEL = 'test-model'

/**
 * A person's home with one provider and one agent that may use these tools without asking; an empty project. `denied`
 * takes away tools that every agent has by itself.
 */
export function furnish(
  folder: string,
  vendor: string,
  tools: readonly string[],
  denied: readonly string[] = [],
): House {
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  const own = join(home, 'agents', AGENT)
  mkdirSync(own, { recursive: true })
  mkdirSync(join(project, '.troupe'), { recursive: true })
  // No history is summed up: the others send it whole too.
  const prices = { [MODEL]: { contextWindow: 100_000_000 } }
  const settings = {
    providers: { lab: { type: 'openai-compatible', baseURL: vendor, apiKey: 'test-key', prices } },
    defaultModel: `lab/${MODEL}`,
    permissions: { allow: tools },
  }
  const agent = { description: 'Works for the benchmark.', tools: { allow: tools, deny: denied } }
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
  writeFileSync(join(own, 'agent.json'), JSON.stringify(agent))
  writeFileSync(join(own, 'AGENT.md'), 'You do what the benchmark asks.\n')
  return { home, project }
}
