import type { Client } from '../../client/client.ts'
import type { Agent } from '../../contract/agents.ts'
import { cut } from './cells.ts'
import type { Command } from './command.ts'
import type { ChatSession } from './session.ts'

/** The commands that go on with another agent, and back. */
export function switchCommands(client: Client, talk: ChatSession, width: () => number): Command[] {
  return [
    {
      name: 'agent',
      does: 'go on with another agent: /agent <name> [message]',
      suggest: async () =>
        (await pickable(client)).map(({ name, description }) => ({ insert: name, label: name, about: description })),
      async run(argument) {
        const [name = '', ...rest] = argument.split(/(?<=^\S+)\s+/)
        if (name === '') return agentList(await pickable(client), talk.agent, width() - 2)
        return talk.meet(name, rest.join('').trim())
      },
    },
    {
      name: 'back',
      does: 'return to where you came from and tell it what was decided: /back [summary]',
      run: (summary) => talk.back(summary),
    },
  ]
}

/** The agents that people are offered. An agent that is not visible works for other agents only. */
export const pickable = async (client: Client): Promise<Agent[]> =>
  (await client.all('GET /api/agents')).filter(({ broken, definition }) => !broken && definition.visible !== false)

function agentList(agents: readonly Agent[], current: string, width: number): string[] {
  const longest = Math.max(...agents.map(({ name }) => name.length))
  return [
    ...agents.map(({ name, description }) => {
      const label = `${name === current ? '▸' : ' '} ${name.padEnd(longest)}`
      return `${label}  ${cut(description, width - label.length - 2)}`
    }),
    'Go on with one: /agent <name> [message].',
  ]
}
