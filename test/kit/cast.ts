import type { AgentFile } from '../../src/contract/agents.ts'
import type { Reply } from '../../src/contract/api.ts'
import type { Session } from '../../src/contract/sessions.ts'
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

/** A request with the token of a session, as a program that acts for the session would make it. */
export const requestAs = <T = Record<string, unknown>>(
  world: World,
  session: Pick<Session, 'id'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> =>
  world.request(method, path, body, { authorization: `Bearer ${world.server.core.tokenOf(session.id)}` })

/** Mail that a session sends and that must be accepted. */
export const sendAs = async (world: World, session: Pick<Session, 'id'>, mail: Record<string, unknown>) =>
  expectOk(await requestAs<Reply>(world, session, 'POST', '/api/mail', mail))

/** What the person does to a session: pause, cancel, close and their like. */
export const act = (world: World, session: string, what: string): Promise<Session> =>
  world.ok<Session>('POST', `/api/sessions/${session}/${what}`)
