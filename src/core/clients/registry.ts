import type { ClientCall, Registration } from '../../contract/client-tools.ts'
import { AppError } from '../../contract/errors.ts'
import type { Core, Project, Tool, ToolSource, ToolsFound } from '../base/index.ts'
import { findAgent } from '../config/index.ts'
import { getSession } from '../sessions/index.ts'
import { knownTools, schemaProblem } from '../tools/index.ts'
import { callsFor } from './calls.ts'
import { type Offerer, toolOf } from './tool.ts'

/** The connection of a client, while it lasts. */
interface Link {
  send(call: ClientCall): void
}

/** The tools that connected programs offer. Who is connected is known here only; what they were asked is in the rows. */
export interface ClientTools extends ToolSource {
  /** `owner`: whose token the connection has. The calls that wait for this client are sent to it, each once. */
  register(core: Core, project: Project, owner: string, asked: Registration, link: Link): Promise<{ tools: number }>
  /** The connection is gone. For a while its tools stay, as the client may come back. */
  leave(link: Link): void
}

interface Offered extends Offerer {
  readonly project: string
  readonly sessionId: string | undefined
  readonly agent: string | undefined
  /** The agent, or that of the session. */
  readonly taker: string
  readonly tools: readonly Tool[]
  link: Link | undefined
  readonly sent: Set<string>
  gone: NodeJS.Timeout | undefined
}

const GRACE_MS = 30_000
const POLL_MS = 2000
const OFFERS = 200
const KEPT = 1000

export const offererKey = (owner: string, client: string): string => `${owner}\0${client}`

export function createClientTools(graceMs = GRACE_MS): ClientTools {
  const offers = new Map<string, Offered>()
  const results = new Map<string, ToolsFound>()
  /** A connection may go while what it registers is still being checked. */
  const left = new WeakSet<Link>()
  let stop: (() => void) | undefined

  const changed = () => results.clear()

  function put(place: string, offered: Offered): void {
    clearTimeout(offers.get(place)?.gone)
    offers.delete(place)
    if (offered.tools.length > 0) offers.set(place, offered)
    changed()
  }

  function leave(link: Link): void {
    left.add(link)
    for (const [place, offered] of offers) {
      if (offered.link !== link) continue
      offered.link = undefined
      offered.sent.clear()
      offered.gone = setTimeout(() => {
        offers.delete(place)
        changed()
      }, graceMs).unref()
    }
  }

  /** Calls are parked by any process; this one sends those of its own clients. */
  function follow(core: Core): void {
    if (stop !== undefined) return
    const off = core.bus.onCommit((events) => {
      if (events.some(({ type }) => type === 'call.parked')) void sendOpen(core)
    })
    const poll = setInterval(() => void sendOpen(core), POLL_MS).unref()
    stop = () => {
      off()
      clearInterval(poll)
    }
  }

  async function sendOpen(core: Core): Promise<void> {
    const present = [...offers.values()].filter(({ link }) => link !== undefined)
    if (present.length === 0) return
    try {
      for (const { key, call } of await callsFor(core)) {
        const [offered] = present.filter((one) => one.key === key)
        if (offered?.link === undefined || present.some((one) => one.key === key && one.sent.has(call.callId))) continue
        offered.sent.add(call.callId)
        offered.link.send(call)
      }
    } catch (error) {
      core.log('error', 'calls for clients could not be read', { error: String(error) })
    }
  }

  return {
    toolsFor(_core, { project, agent, sessionId }) {
      if (offers.size === 0) return none
      const place = `${project.id}\0${agent?.name ?? ''}\0${sessionId ?? ''}`
      const found = results.get(place) ?? {
        tools: [...offers.values()]
          .filter((one) => one.project === project.id && isFor(one, sessionId, agent?.name))
          .flatMap(({ tools }) => tools),
        problems: [],
      }
      results.set(place, found)
      if (results.size > KEPT) results.delete(results.keys().next().value ?? place)
      return found.tools.length === 0 ? none : found
    },
    async register(core, project, owner, asked, link) {
      const key = offererKey(owner, asked.client)
      const whom = await targetOf(core, project, asked)
      const taker = await takerOf(core, project, asked, whom)
      // Nothing is waited for from here on to the entry: of two that ask at the same instant one finds the other's.
      refuseOffered(asked, [...offers.values()], { ...whom, key, project: project.id, taker })
      const place = `${key}\0${project.id}\0${whom.sessionId ?? ''}\0${whom.agent ?? ''}`
      if (offers.size >= OFFERS && !offers.has(place)) throw tooMany()
      const tools = asked.tools.map((tool) => toolOf(tool, { key, client: asked.client }))
      // A new connection in place of the old one: what was sent there is sent again here.
      for (const one of offers.values()) if (one.key === key && one.link !== link) moveTo(one, link)
      const known = offers.get(place)?.sent ?? new Set<string>()
      const { client } = asked
      put(place, { key, client, project: project.id, ...whom, taker, tools, link, sent: known, gone: undefined })
      if (left.has(link)) leave(link)
      follow(core)
      await sendOpen(core)
      return { tools: tools.length }
    },
    leave,
    async close() {
      stop?.()
      for (const { gone } of offers.values()) clearTimeout(gone)
    },
  }
}

const none: ToolsFound = { tools: [], problems: [] }

const isFor = (one: Pick<Offered, 'sessionId' | 'agent'>, sessionId: string | undefined, agent: string | undefined) =>
  one.sessionId === undefined ? one.agent === agent : one.sessionId === sessionId

function moveTo(offered: Offered, link: Link): void {
  clearTimeout(offered.gone)
  offered.link = link
  offered.sent.clear()
}

type Target = Pick<Offered, 'sessionId' | 'agent'>

async function targetOf(core: Core, project: Project, { session, agent }: Registration): Promise<Target> {
  if ((session === undefined) === (agent === undefined))
    throw new AppError('request.invalid', 'Tools are for one session or for one agent.', {
      hint: 'Give "session" or "agent", one of them.',
    })
  if (session !== undefined) return { sessionId: (await getSession(core, project.id, session)).id, agent: undefined }
  return { sessionId: undefined, agent: (await findAgent(core, project, agent!)).name }
}

/** The agent that is to have the tools; schemas that are none, and names that other kinds of tools have there, are refused. */
async function takerOf(
  core: Core,
  project: Project,
  { tools }: Registration,
  { sessionId, agent }: Target,
): Promise<string> {
  const [twice] = tools.filter(({ name }, at) => tools.findIndex((one) => one.name === name) !== at)
  if (twice) throw taken(twice.name, 'it is in the list twice')
  const name = agent ?? (await getSession(core, project.id, sessionId!)).agent
  const whom = { project, agent: await findAgent(core, project, name), ...(sessionId && { sessionId }) }
  const known = (await knownTools(core, whom)).tools
  for (const tool of tools) {
    const problem = schemaProblem(tool.inputSchema ?? { type: 'object' })
    if (problem) throw new AppError('request.invalid', `inputSchema of ${tool.name} ${problem}.`)
    const before = known.get(tool.name)
    if (before !== undefined && before.origin?.source !== 'client')
      throw taken(tool.name, before.origin ? `a tool of ${before.origin.place} has it` : 'a built-in tool has it')
  }
  return name
}

/** A name that another client has for that session or agent is refused, so that no call goes astray. */
function refuseOffered(
  { tools }: Registration,
  offers: readonly Offered[],
  { key, project, sessionId, taker }: Pick<Offered, 'key' | 'project' | 'sessionId' | 'taker'>,
): void {
  const others = offers.filter(
    (one) =>
      one.key !== key &&
      one.project === project &&
      one.taker === taker &&
      (one.sessionId === undefined || sessionId === undefined || one.sessionId === sessionId),
  )
  for (const { client, tools: theirs } of others) {
    const twice = tools.find((tool) => theirs.some((offered) => offered.name === tool.name))
    if (twice) throw taken(twice.name, `the client "${client}" offers it there`)
  }
}

const taken = (name: string, why: string): AppError =>
  new AppError('tool.taken', `The name ${name} is taken: ${why}. Nothing was registered.`, {
    hint: 'Choose another name, such as one that begins with the name of your program.',
  })

const tooMany = (): AppError =>
  new AppError('events.too_many_readers', `${OFFERS} offers of tools are registered already.`, {
    hint: 'Close a program that is not needed.',
  })
