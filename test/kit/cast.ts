import type { AgentFile } from '../../src/contract/agents.ts'
import type { Reply } from '../../src/contract/api.ts'
import type { Message } from '../../src/contract/messages.ts'
import { textOf } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import type { SeenRequest } from './vendor/reply.ts'
import { type Answer, expectOk, type World } from './world.ts'

/**
 * Agents of the person's own, as files of a world: what their definitions say counts without trust, and of some there is
 * nothing to say but the name. Each has a model of its name, by which a script plays it.
 */
export const cast = (...agents: readonly (string | Readonly<Record<string, AgentFile>>)[]): Record<string, string> =>
  Object.fromEntries(
    agents
      .flatMap((one): [string, AgentFile][] => (typeof one === 'string' ? [[one, {}]] : Object.entries(one)))
      .map(([name, definition]) => [
        `../home/agents/${name}/agent.json`,
        JSON.stringify({ model: `lab/${name}`, ...definition }),
      ]),
  )

/** Who of the cast made the request. */
export const playedBy = ({ model }: SeenRequest): string => model

/** A request of a child process that acts for a session: with that session's token. */
export const requestAs = <T = Record<string, unknown>>(
  world: World,
  session: Pick<Session, 'id'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> =>
  world.request(method, path, body, { authorization: `Bearer ${world.server.core.tokenOf(session.id)}` })

/** Mail that a session sends; it has to be accepted. */
export const sendAs = async (world: World, session: Pick<Session, 'id'>, mail: Record<string, unknown>) =>
  expectOk(await requestAs<Reply>(world, session, 'POST', '/api/mail', mail))

/** The texts of a log that were not the session's own, in order. */
export const heard = async (world: World, session: Pick<Session, 'id'>): Promise<string[]> =>
  texts(await world.messages(session.id), 'user')

export const texts = (log: readonly Message[], role: Message['role']): string[] =>
  log.filter((message) => message.role === role).map(({ parts }) => textOf(parts))

/** The newest session of an agent, once it has this status. */
export const sessionOf = (world: World, agent: string, status?: Session['status']): Promise<Session> =>
  world.eventually(async () => {
    const { items } = await world.ok<{ items: Session[] }>('GET', `/api/sessions?agent=${agent}`)
    return status === undefined ? items[0] : items.find((session) => session.status === status)
  })
