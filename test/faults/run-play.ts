import type { Board, Run } from '../../src/contract/runs.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { sha256 } from '../../src/lib/files/files.ts'
import { eventually } from '../kit/processes.ts'
import { finishRun, stage, takeOn, workNode } from '../kit/runs.ts'
import { publish } from '../kit/script.ts'
import type { Reply, SeenMessage } from '../kit/vendor/server.ts'
import type { Client } from './client.ts'
import type { Play } from './crash.ts'
import { badEvents, badLog, gaveUp } from './invariants.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { type Rows, rest, rowsOf } from './rows.ts'

/** The boundaries of a run, each of which the play of this file comes by. */
export const runBoundaries = [
  'run.create',
  'run.board',
  'run.end',
  'node.create',
  'node.begin',
  'node.news',
  'worker.spawn',
  'stage.start',
  'stage.reconvene',
  'node.checkpoint',
  'node.suggest',
  'node.change',
  'node.cancel',
  'node.retry',
  'worker.retire',
  'node.publish',
  'node.seal',
  'run.files',
  'run.limit',
  'run.answer',
  'run.pause',
  'run.steer',
  'run.resume',
  'run.nudge',
  'run.archive',
  'run.title-ask',
  'run.title',
] as const

/** Places between them. */
export const runPlaces = [
  'publish.marked',
  'publish.renamed',
  'publish.sealed',
  'files.written',
  'title.answered',
] as const

const SECONDS = 240
const TITLE = 'A title'

/**
 * A coordinator takes on a worker and makes two nodes, of which it wants to hear together; the worker makes one below its own
 * and puts it together; a last one depends on both, and one is called off. Those are beyond the limit, which the person raises;
 * then they pause the run, let it go on, and have the one tried again that was called off. The coordinator is reminded at the end, lets the worker go and finishes the run,
 * which is put away.
 */
async function play(place: FaultPlace, life: Life, client: Client, number: number): Promise<Run> {
  const word = `#${number}#`
  const [staged, retried] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  place.vendor.script(
    ({ messages, model }) => (model === 'small' ? { text: TITLE } : says(messages, word, staged, retried.promise)),
    { word },
  )
  await client.request('PATCH', '/api/settings', { changes: { smallModel: 'lab/small' } })
  const body = {
    goal: `Goal ${word}: so long that the first words of it are not all, and a model is asked for a title`,
    clientId: `run ${number}`,
    limits: { maxNodes: 2 },
  }
  const { id } = (await client.request<Run>('POST', '/api/runs', body)).body
  const asked = async () => (await client.request<Run>('GET', `/api/runs/${id}`)).body.inboxId
  const inboxId = await Promise.race([life.broken, eventually(asked, SECONDS, 100)])
  await client.request('POST', `/api/inbox/${inboxId}/answer`, { answer: 'raise to 9' })
  await client.request('POST', `/api/runs/${id}/pause`)
  await client.request('POST', `/api/runs/${id}/resume`)
  const never = await Promise.race([life.broken, eventually(() => calledOff(client, id), SECONDS, 100)])
  await client.request('POST', `/api/runs/${id}/nodes/${never}/retry`)
  retried.resolve()
  const look = async () => {
    const run = (await client.request<Run>('GET', `/api/runs/${id}`)).body
    return run.status === 'finished' ? run : undefined
  }
  const run = await Promise.race([life.broken, eventually(look, SECONDS, 100)])
  await client.request('DELETE', `/api/runs/${id}`)
  await rest(place, life, SECONDS)
  return run as Run
}

/** The node that its coordinator called off, once that one has ended its turn: a call that was cut short is made again. */
async function calledOff(client: Client, id: string): Promise<string | undefined> {
  const { run, nodes } = (await client.request<Board>('GET', `/api/runs/${id}/board`)).body
  const lead = (await client.request<Session>('GET', `/api/sessions/${run.sessionId}`)).body
  const node = nodes.find(({ title, status }) => title.startsWith('Never') && status === 'canceled')
  return lead.status === 'idle' ? node?.id : undefined
}

function says(
  messages: readonly SeenMessage[],
  word: string,
  staged: PromiseWithResolvers<void>,
  retried: Promise<void>,
): Reply {
  const first = messages.find(({ role }) => role === 'user')?.text ?? ''
  const said = messages.filter(({ role }) => role === 'assistant').length
  if (first.includes('Goal')) {
    if (called(messages, 'assign_worker')) staged.resolve()
    return leads(messages, said, word)
  }
  return works(messages, word, staged.promise, retried)
}

const given = /(node_[0-9a-f]+)\n(Whole|Beside|Part|Last|Never)/

/** A worker writes one file for each node and publishes it; a write of which it does not know it makes again. */
function works(messages: readonly SeenMessage[], word: string, staged: Promise<void>, retried: Promise<void>): Reply {
  const since = messages.slice(messages.findLastIndex(({ role, text }) => role === 'user' && given.test(text)))
  const [, id, what] = given.exec(since[0]!.text)!
  // Nobody is done before the stage has begun, and the last one not before the person has had one tried again.
  const delay = what === 'Last' ? retried : staged
  if (what === 'Beside' && !called(since, 'checkpoint'))
    return { calls: [act('checkpoint', { summary: 'Half.' }), act('suggest_next', { suggestion: 'More.' })], delay }
  if (what === 'Whole' && !called(since, 'create_work_node')) return { calls: [workNode(`Part ${word}`)], delay }
  const told = since.slice(1).some(({ role, text }) => role === 'user' && text.includes('"Part'))
  if (what === 'Whole' && !told) return { text: 'I wait.' }
  const wrote = since.some(({ results }) => results.some(({ text }) => text.startsWith('Wrote')))
  const path = `nodes/${id}/scratch/result.md`
  return { calls: [wrote ? publish('Done.') : { name: 'write_file', input: { path, content: RESULT } }], delay }
}

const RESULT = 'As it should be.'

function leads(messages: readonly SeenMessage[], said: number, word: string): Reply {
  const made = nodesMade(messages)
  const heard = (what: string): boolean => messages.some(({ role, text }) => role === 'user' && text.includes(what))
  if (said === 0)
    return { calls: [takeOn('Ann'), workNode(`Whole ${word}`, { worker: 'Ann' }), workNode(`Beside ${word}`)] }
  if (said === 1) return { calls: [workNode(`Last ${word}`, { dependsOn: made }), stage('All', made)] }
  const [first, second, last, never] = made
  // A call that was cut short is made again, and may be made after the limit was raised.
  if (heard('The human raised a limit') && never === undefined) {
    const titles = last === undefined ? ['Last', 'Never'] : ['Never']
    return { calls: titles.map((title) => workNode(`${title} ${word}`, { dependsOn: [first, second] })) }
  }
  if (never !== undefined && !called(messages, 'assign_worker'))
    return { calls: [act('assign_worker', { nodeId: last, worker: 'Ann' }), act('cancel_node', { nodeId: never })] }
  if (heard('The stage') && !called(messages, 'reconvene'))
    return { calls: [act('reconvene', { assessment: 'Good.' })] }
  if (heard('Nothing goes on in the run') && !called(messages, 'finish'))
    return { calls: [act('retire_worker', { worker: 'Ann' }), finishRun('Done.')] }
  return { text: 'Noted.' }
}

const act = (name: string, input: Record<string, unknown>) => ({ name, input })

const called = (messages: readonly SeenMessage[], what: string): boolean =>
  messages.some(({ calls }) => calls.some(({ name }) => name === what))

const nodesMade = (messages: readonly SeenMessage[]): string[] =>
  messages.flatMap(({ results }) => results.flatMap(({ text }) => /node_\w+/.exec(text)?.[0] ?? []))

/** As if nothing had happened: each node once, done once, told once, and nothing left open. */
function verdict({ id, sessionId }: Run, _: unknown, all: Rows): string[] {
  const found = all.damage.map((line) => `the database is damaged: ${line}`)
  const run = all.runs.find((row) => row.id === id)
  if (run?.status !== 'finished' || run.summary !== 'Done.') found.push(`the run is ${run?.status}, ${run?.summary}`)
  const titled = all.events.filter(({ run_id, type }) => run_id === id && type === 'run.titled').length
  // Whoever is killed at each request for a title goes on without one.
  if (run?.title !== TITLE ? titled !== 0 || run?.title_asks !== 2 : titled !== 1)
    found.push(`"${run?.title}" was written ${titled} times`)
  const nodes = all.nodes.filter(({ run_id }) => run_id === id)
  const ends = nodes.map(({ spec, status, told }) => `${spec.split(' ')[0]} ${status} ${told}`)
  if (ends.toSorted().join() !== 'Beside finished 1,Last finished 1,Never finished 1,Part finished 1,Whole finished 1')
    found.push(`the nodes: ${ends}`)
  const done = nodes.filter(({ status }) => status === 'finished')
  for (const { spec, files, published_at, partial } of done) {
    const sealed = JSON.stringify([{ path: 'result.md', size: RESULT.length, sha256: sha256(RESULT) }])
    if (files !== sealed || published_at === null || partial !== 0) found.push(`"${spec}" published ${files}`)
  }
  for (const type of ['node.published', 'node.finished']) {
    const times = all.events.filter((event) => event.run_id === id && event.type === type).length
    if (times !== done.length) found.push(`${times} times ${type}`)
  }
  const stages = all.stages
    .filter(({ run_id }) => run_id === id)
    .map(({ status, assessment }) => `${status} ${assessment}`)
  if (stages.join() !== 'completed Good.') found.push(`the stages: ${stages}`)
  const tasks = all.tasks.filter(({ node_id }) => nodes.some((node) => node.id === node_id))
  if (tasks.length !== nodes.length || tasks.some(({ status }) => status !== 'finished'))
    found.push(`the tasks: ${tasks.map(({ status }) => status)}`)
  const workers = all.workers.filter(({ run_id }) => run_id === id)
  const sessions = [sessionId, ...workers.flatMap(({ session_id }) => session_id ?? [])]
  if (all.sessions.filter(({ run_id }) => run_id === id).length !== sessions.length) found.push('a session too many')
  const rows = rowsOf(all, new Set(sessions))
  for (const session of rows.sessions) {
    if (session.status !== (session.id === sessionId ? 'idle' : 'closed'))
      found.push(`session ${session.id} is ${session.status}`)
    found.push(...badLog(session.id, rows), ...badEvents(session.id, rows))
  }
  for (const { id: mail, content, state, told_with } of rows.mail) {
    const read = rows.messages.filter(({ mail_id }) => mail_id === mail).length
    // Notices that came together share the message of the first.
    if (state !== 'taken' || read !== (told_with === null ? 1 : 0))
      found.push(`mail "${content}" is ${state} and in ${read} messages`)
  }
  const told = rows.mail.filter(({ from_kind }) => from_kind === 'system').map(({ content }) => content)
  if (told.filter((text) => text.includes('More.')).length !== 1) found.push('the suggestion was not told once')
  for (const node of nodes.filter(({ status }) => status === 'finished')) {
    const line = new RegExp(`${node.id} "[^"]*" \\([\\w-]+\\) finished`)
    const times = told.filter((text) => line.test(text)).length
    if (times !== 1) found.push(`"${node.spec}" was told ${times} times`)
  }
  if (rows.turns.some(gaveUp)) found.push('a turn was given up after one crash')
  if (rows.timers.length > 0) found.push(`left: ${rows.timers.map((timer) => timer.id)}`)
  return found
}

export const running: Play<Run> = { run: play, verdict }
