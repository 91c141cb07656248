import type { Client } from '../client/client.ts'
import { follow } from '../client/live.ts'
import type { Event } from '../contract/events.ts'
import type { Task } from '../contract/tasks.ts'
import { asCalled, troupe } from './called.ts'
import type { Cli } from './cli.ts'
import { type Exit, exits, Failure } from './failure.ts'
import { openItems, sayItem } from './inbox-items.ts'
import { note, oneLine, say, sayJson } from './print.ts'
import { whereabouts } from './server.ts'
import { isPaused, NOTHING_BEGINS, noteHint } from './standstill.ts'

/** Follows a task until it has ended or waits for the person. What it does is noted beside the result. */
export async function watchTask(cli: Cli, client: Client, id: string): Promise<Exit> {
  const over = Promise.withResolvers<Exit>()
  const look = async (): Promise<string | undefined> => {
    const { value: task, seq } = await client.snapshot('GET /api/tasks/{id}', { params: { id } })
    const exit = await endOf(cli, client, task)
    if (exit !== undefined) over.resolve(exit)
    return seq
  }
  const after = await look()
  const stream = await follow(
    client,
    { types: [...shown], project: '*', after },
    {
      async event(event) {
        if (event.taskId === id) noteEvent(cli, event)
        if (event.taskId === id ? decides.has(event.type) : concerns.has(event.type)) await look()
      },
      anew: look,
    },
    whereabouts(cli),
  )
  const interrupted = (): void => over.resolve(exits.failed)
  process.once('SIGINT', interrupted)
  stream.ended.catch(over.reject)
  try {
    return await over.promise
  } finally {
    process.off('SIGINT', interrupted)
    stream.close()
  }
}

const shown = [
  'task.started',
  'task.waiting',
  'task.progress',
  'task.retried',
  'task.finished',
  'task.failed',
  'task.canceled',
  'tool.started',
  'inbox.added',
  'everything.paused',
] as const
/** Of its own events; of those of others there is what may concern it too. */
const decides = new Set(['task.waiting', 'task.finished', 'task.failed', 'task.canceled', 'inbox.added'])
const concerns = new Set(['inbox.added', 'everything.paused'])

function noteEvent(cli: Cli, { type, data }: Event): void {
  if (cli.json || type === 'inbox.added') return
  const what = data.message ?? data.reason ?? (data.name === undefined ? '' : `${data.name} ${data.preview ?? ''}`)
  note(oneLine(`${type.replace(/^task\./, '')} ${what}`, 100))
}

/** How the watching ends; undefined while the task goes on by itself, which none does while everything is paused. */
async function endOf(cli: Cli, client: Client, task: Task): Promise<Exit | undefined> {
  if (task.status === 'finished' || task.status === 'failed' || task.status === 'canceled') return told(cli, task)
  const items = (await openItems(client)).filter(
    ({ kind, lineage }) =>
      (kind === 'question' || kind === 'approval') && lineage.some(({ id }) => id === task.sessionId),
  )
  const still = await isPaused(client)
  if (items.length === 0 && !still) return undefined
  if (still) noteHint(cli, { hint: NOTHING_BEGINS })
  if (cli.json) sayJson({ ...task, inbox: items.map(({ id }) => id) })
  else for (const item of items) sayItem(item, note)
  return exits.needsHuman
}

function told(cli: Cli, task: Task): Exit {
  if (task.status === 'finished') {
    if (cli.json) sayJson(task)
    else say(task.output ?? '')
    return exits.ok
  }
  if (cli.json) sayJson(task)
  const why = asCalled(task.error ?? `The task is ${task.status}.`)
  throw new Failure(exits.failed, why, { code: `task.${task.status}`, hint: `${troupe} tasks retry ${task.id}` })
}
