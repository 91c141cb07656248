import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply, SeenMessage, SeenRequest } from './vendor/reply.ts'
import type { World } from './world.ts'

/** What agents call to reach each other. */
export const tell = (to: string, message: string, more = {}) => ({
  name: 'agent_send',
  input: { to, message, ...more },
})
export const ask = (to: string, message: string, more = {}) => ({
  name: 'agent_message',
  input: { to, message, timeout: 600, ...more },
})
export const spawn = (agent: string, instruction: string, more: Record<string, unknown> = {}) => ({
  name: 'agent_spawn',
  input: { agent, instruction, returnMode: 'lastMessage', ...more },
})
export const give = (agent: string, prompt: string, more: Record<string, unknown> = {}) => ({
  name: 'task_create',
  input: { agent, input: { prompt }, ...more },
})
export const waitFor = (taskIds: readonly string[], more: Record<string, unknown> = {}) => ({
  name: 'task_wait',
  input: { taskIds, ...more },
})
/** What a worker of a run calls at the end. */
export const publish = (summary?: string) => ({ name: 'publish', input: { summary } })
export const nap = { name: 'sleep', input: { seconds: 300 } }
export const askPerson = { name: 'ask_human', input: { question: 'Sure?' } }

/** Who of the cast made the request. */
export const playedBy = ({ model }: SeenRequest): string => model

/** Whether the newest message is mail, and not the result of a call. */
export const hasMail = ({ messages }: SeenRequest): boolean => messages.at(-1)?.role === 'user'

/** The tasks that the results in a request name, in the order they were made. */
export const tasksIn = ({ messages }: SeenRequest): string[] => [
  ...new Set(messages.flatMap(({ results }) => results.flatMap(({ text }) => text.match(/task_[0-9a-z]+/g) ?? []))),
]

/**
 * Answers each request with the part whose word stands in its first user text, step by step; the last step repeats. What a
 * worker of a run says at the end it publishes, as models do that were told to.
 */
export function parts(
  world: Pick<World, 'vendor'>,
  script: Record<string, readonly (Reply | ((request: SeenRequest) => Reply))[]>,
): void {
  world.vendor.script((request) => {
    const first = request.messages.find(({ role }) => role === 'user')?.text ?? ''
    const steps = Object.entries(script).find(([word]) => first.includes(word))?.[1]
    const made = request.messages.filter(({ role }) => role === 'assistant').length
    const step = steps?.[Math.min(made, steps.length - 1)] ?? { text: `Heard: ${request.lastUserText}` }
    const reply = typeof step === 'function' ? step(request) : step
    return endsNode(request, reply) ? { ...reply, calls: [publish(reply.text)] } : reply
  })
}

/** Whoever has made nodes below its own since it was last written to waits for them instead. */
function endsNode({ tools, messages }: SeenRequest, { text, calls }: Reply): boolean {
  if (text === undefined || calls !== undefined || !tools.includes('publish')) return false
  const since = (begins: (message: SeenMessage) => boolean) => messages.slice(messages.findLastIndex(begins))
  const given = since(({ role, text: words }) => role === 'user' && /node_[0-9a-f]+\n/.test(words))
  const waits = since(({ role }) => role === 'user').some((message) => calledIn(message, 'create_work_node'))
  return !waits && !given.some((message) => calledIn(message, 'publish'))
}

const calledIn = (message: SeenMessage, what: string): boolean => message.calls.some(({ name }) => name === what)

/** Sets prices: a million input tokens cost a dollar, output tokens nothing. The model reads as many as a test wants. */
export function price(world: World): void {
  const file = join(world.home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  const contextWindow = 1_000_000_000
  settings.providers.lab.prices = { 'test-model': { input: 1, output: 0, contextWindow }, unpriced: { contextWindow } }
  writeFileSync(file, JSON.stringify(settings))
}
export const dollar = { usage: { input: 1_000_000, output: 1 } }
