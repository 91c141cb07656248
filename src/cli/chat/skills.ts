import type { Client } from '../../client/client.ts'
import type { SkillInfo } from '../../contract/skills.ts'
import { troupe } from '../called.ts'

/** The skills of the agent one talks to, as far as they are known here; the server decides. */
interface ChatSkills {
  /** Those known so far; the first look at an agent fetches them. */
  list(): readonly SkillInfo[]
  /** Looks again whether `/name` is one. */
  has(word: string): Promise<boolean>
  /** Says which of them cannot be started here, because commands have their names. */
  hidden(commands: readonly Named[]): Promise<string[]>
}

export function createChatSkills(client: Client, agent: () => string, changed: () => void): ChatSkills {
  const known = new Map<string, readonly SkillInfo[]>()

  async function fetch(name: string): Promise<readonly SkillInfo[]> {
    const items = await client.all('GET /api/skills', { query: { agent: name } })
    known.set(name, items)
    return items
  }

  return {
    list() {
      const name = agent()
      if (!known.has(name)) {
        known.set(name, [])
        // Without them nothing is suggested, and what is wrong is said elsewhere.
        fetch(name).then(changed, () => known.delete(name))
      }
      return known.get(name) ?? []
    },
    async hidden(commands) {
      const skills = await fetch(agent())
      const names = skills.map(({ name }) => name).filter((name) => commands.some((command) => command.name === name))
      if (names.length === 0) return []
      const how = `Start one with: ${troupe} skills run`
      return [`Commands of the chat have the names of these skills: ${names.join(', ')}. ${how}`]
    },
    has: async (word) => (await fetch(agent()).catch(() => [])).some(({ name }) => word === `/${name}`),
  }
}

interface Named {
  readonly name: string
  readonly does: string
}

/** What may follow a slash. A command of the chat wins over a skill of the same name. */
export const beside = (commands: readonly Named[], skills: readonly SkillInfo[]): Named[] => [
  ...commands,
  ...skills
    .filter(({ name }) => !commands.some((command) => command.name === name))
    .map(({ name, hint, description }) => ({ name, does: [hint, description].filter(Boolean).join('  ') })),
]
