import { type Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import { type CreateTask, type Task, TaskPriority, TaskStatus } from '../../contract/tasks.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type AloneOptions, aloneOf, takesAlone } from '../alone.ts'
import { asCalled, troupe } from '../called.ts'
import { action, type Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { type Exit, exits, Failure, usage } from '../failure.ts'
import { ago, oneLine, paint, price, say, tell } from '../print.ts'
import { ALL_PAUSED, isPaused, noteHint, noteStandstill } from '../standstill.ts'
import { table } from '../table.ts'
import { watchTask } from '../task-watch.ts'
import { readText } from './send.ts'
import { settleTrust } from './trust.ts'

export default function define(command: Command): void {
  command
    .command('list', { isDefault: true })
    .description('tasks, the newest first')
    .addOption(new Option('--status <status>', 'only those in this state').choices([...TaskStatus.options]))
    .option('--agent <name>', 'only of this agent')
    .option('--tag <tag>', 'only those with this tag')
    .addOption(new Option('--priority <priority>', 'only of this priority').choices([...TaskPriority.options]))
    .option('--parent <ref>', 'only those below this task, or given by this session')
    .option('--limit <number>', 'how many, 200 at most', '30')
    .option('--all-projects', 'not only this project')
    .action(action(list))
  takesAlone(command.command('create'), 'the task')
    .description('give a task to an agent')
    .argument('<agent>', 'its name')
    .argument('[text...]', 'what to do; read from standard input when left out or "-"')
    .addOption(new Option('--priority <priority>', 'who begins first').choices([...TaskPriority.options]))
    .option('--tag <tag>', 'a word to find it by; may be given several times', collect)
    .option('--file <path>', 'a file that it is about; may be given several times', collect)
    .option('--context <text>', 'what else has to be known')
    .option('--max-iterations <number>', 'model calls, at most')
    .option('--max-seconds <number>', 'seconds of work, at most')
    .option('--max-cost <usd>', 'US dollars, at most, with the tasks that it gives')
    .option('--model <model>', "another model than the agent's")
    .option('-w, --watch', 'follow it until it ends')
    .action(action(create))
  verb(command, 'show', 'one task: status, result, limits, cost').action(action(show))
  verb(command, 'respond', 'answer the question with which it waits').argument('<text...>').action(action(respond))
  verb(command, 'cancel', 'call it off with all the tasks below it').action(action(cancel))
  verb(command, 'retry', 'try a failed or canceled one again, from where it stopped')
    .option('--clean', 'from the beginning: what it said and did is removed')
    .option('--max-iterations <number>', 'model calls, from now on')
    .option('--max-seconds <number>', 'seconds of work, from now on')
    .option('--max-cost <usd>', 'US dollars, with what it spent before')
    .action(action(retry))
  verb(command, 'tree', 'the task and all below it').action(action(tree))
  verb(command, 'watch', 'follow it until it ends (0), fails (1) or waits for you (4)').action(action(watch))
}

const verb = (parent: Command, name: string, does: string): Command =>
  parent.command(name).description(does).argument('<task>', 'its id, or any unique beginning of it')

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

interface ListOptions {
  readonly status?: TaskStatus
  readonly agent?: string
  readonly tag?: string
  readonly priority?: TaskPriority
  readonly parent?: string
  readonly limit: string
  readonly allProjects?: boolean
}

const MOST = 200

async function list(cli: Cli, { limit: wanted, allProjects, ...filter }: ListOptions): Promise<void> {
  const limit = amount('--limit', wanted)
  if (limit > MOST) throw usage(`--limit is ${MOST} at most, not ${limit}: name a status, an agent or a tag instead.`)
  const client = await connect(cli)
  const query = { ...filter, limit, ...(allProjects ? { project: '*' } : {}) }
  tell(cli, await client.call('GET /api/tasks', { query }), ({ items, nextCursor }) => {
    table(listed(items), `No task yet. Give one with "${troupe} tasks create <agent> …".`)
    const more = limit < MOST ? `--limit ${Math.min(MOST, limit * 2)} shows more of them, or ` : ''
    if (nextCursor) say(paint('dim', `There are more: ${more}name a status, an agent or a tag.`))
  })
}

/** Where all have the same priority it says nothing. */
function listed(items: readonly Task[]): Record<string, string>[] {
  const rows = items.map(rowOf)
  return items.some(({ priority }) => priority !== 'normal') ? rows : rows.map(({ priority: _, ...row }) => row)
}

const rowOf = (task: Task): Record<string, string> => ({
  task: shortId(task.id),
  agent: task.agent,
  status: task.status,
  priority: task.priority,
  what: oneLine(task.input.prompt, 50),
  from: task.from.agent ? `${task.from.agent} ${task.from.handle ?? ''}`.trim() : task.from.kind,
  cost: price(task.totalCostUsd, task.unpricedTokens),
  made: ago(task.createdAt, systemClock.now()),
})

interface LimitOptions {
  readonly maxIterations?: string
  readonly maxSeconds?: string
  readonly maxCost?: string
}

interface CreateOptions extends LimitOptions, AloneOptions {
  readonly priority?: TaskPriority
  readonly tag?: string[]
  readonly file?: string[]
  readonly context?: string
  readonly model?: string
  readonly watch?: boolean
}

async function create(cli: Cli, agent: string, words: string[], options: CreateOptions): Promise<Exit> {
  const { priority, tag: tags, file: files, context, model } = options
  const body: CreateTask = {
    agent,
    input: { prompt: await readText(words), ...(files && { files }), ...(context && { context }) },
    clientId: newId('cli'),
    ...limitsOf(options),
    ...(priority && { priority }),
    ...(tags && { tags }),
    ...(model && { model }),
    ...aloneOf(options),
  }
  const client = await connect(cli)
  await settleTrust(cli, client)
  const task = await client.call('POST /api/tasks', { body })
  noteHint(cli, task)
  if (options.watch) return watchTask(cli, client, task.id)
  tell(cli, task, () => {
    say(`${paint('green', '✓')} ${task.id} is given to ${task.agent}.`)
    say(paint('dim', `Follow it: ${troupe} tasks watch ${shortId(task.id)}`))
  })
  return exits.ok
}

async function show(cli: Cli, id: string): Promise<void> {
  const client = await connect(cli)
  const task = await find(client, id)
  const why =
    cli.json || ['finished', 'failed', 'canceled'].includes(task.status)
      ? undefined
      : await client.call('GET /api/why/{ref}', { params: { ref: task.id } })
  tell(cli, task, () => {
    say(`${paint('bold', task.id)} ${oneLine(task.input.prompt, 60)}`)
    for (const [name, value] of Object.entries(factsOf(task))) say(`  ${paint('dim', name.padEnd(10))}${value}`)
    if (task.error) say(`\n${asCalled(task.error)}`)
    if (task.output) say(`\n${task.output}`)
    if (why) say(`\n${asCalled(why.text.split('\n', 1)[0] ?? '')}\nMore: ${troupe} why ${task.id}`)
  })
}

function factsOf(task: Task): Record<string, string> {
  const own = task.totalCostUsd === task.costUsd ? '' : `, its own ${price(task.costUsd, task.unpricedTokens)}`
  const limits = Object.entries(task.limits).map(([name, value]) => `${name} ${value}`)
  const row = rowOf(task)
  return {
    agent: `${task.agent}, session ${task.session}`,
    status: `${task.status}${task.attempts > 1 ? `, begun ${task.attempts} times` : ''}`,
    priority: task.priority,
    from: row.from!,
    ...(task.parentTaskId ? { parent: task.parentTaskId } : {}),
    ...(task.tags.length > 0 ? { tags: task.tags.join(', ') } : {}),
    ...(task.input.files ? { files: task.input.files.join(', ') } : {}),
    limits: limits.join(', '),
    work: `${task.iterations} model call${task.iterations === 1 ? '' : 's'}, ${task.tokens.input} tokens in, ${task.tokens.output} out`,
    cost: `${price(task.totalCostUsd, task.unpricedTokens)}${own}`,
    made: row.made!,
  }
}

async function respond(cli: Cli, id: string, words: string[]): Promise<void> {
  const client = await connect(cli)
  const params = { id: (await find(client, id)).id }
  const body = { message: await readText(words) }
  const answered = await client.call('POST /api/tasks/{id}/respond', { params, body })
  const goesOn = (await isPaused(client)) ? ALL_PAUSED : 'it goes on.'
  tell(cli, answered, () => say(`${paint('green', '✓')} Answered; ${goesOn}`))
}

async function cancel(cli: Cli, id: string): Promise<void> {
  const client = await connect(cli)
  const params = { id: (await find(client, id)).id }
  tell(cli, await client.call('DELETE /api/tasks/{id}', { params }), (task) =>
    say(`${paint('green', '✓')} ${task.id} ${canceledAs(task.status)}.`),
  )
}

function canceledAs(status: Task['status']): string {
  if (status === 'finished' || status === 'failed') return `had ended before: it is ${status}`
  return status === 'canceled' ? 'is canceled' : 'is told to stop'
}

async function retry(cli: Cli, id: string, { clean, ...options }: LimitOptions & { clean?: boolean }): Promise<void> {
  const client = await connect(cli)
  const params = { id: (await find(client, id)).id }
  const body = { ...(clean ? { clean } : {}), ...limitsOf(options) }
  const again = await client.call('POST /api/tasks/{id}/retry', { params, body })
  await noteStandstill(cli, client)
  tell(cli, again, (task) => {
    say(`${paint('green', '✓')} ${task.id} is tried again: it begins for the ${task.attempts}. time.`)
    say(paint('dim', `Follow it: ${troupe} tasks watch ${shortId(task.id)}`))
  })
}

async function tree(cli: Cli, id: string): Promise<void> {
  const client = await connect(cli)
  const params = { id: (await find(client, id)).id }
  tell(cli, await client.call('GET /api/tasks/{id}/tree', { params }), ({ items, more }) => {
    const rows = items.map(({ depth, ...task }) => {
      const { from: _, priority: __, ...row } = rowOf(task)
      return { ...row, task: `${'  '.repeat(depth)}${row.task}` }
    })
    table(rows, '')
    if (more) say(paint('dim', 'There are more below; look at the tree of one of these.'))
  })
}

async function watch(cli: Cli, id: string): Promise<Exit> {
  const client = await connect(cli)
  return watchTask(cli, client, (await find(client, id)).id)
}

function limitsOf(options: LimitOptions): Pick<CreateTask, 'limits'> {
  const limits = {
    ...(options.maxIterations && { maxIterations: amount('--max-iterations', options.maxIterations) }),
    ...(options.maxSeconds && { maxDurationSeconds: amount('--max-seconds', options.maxSeconds) }),
    ...(options.maxCost && { maxCostUsd: amount('--max-cost', options.maxCost, false) }),
  }
  return Object.keys(limits).length > 0 ? { limits } : {}
}

function amount(option: string, text: string, whole = true): number {
  const number = Number(text)
  if (!(number > 0) || (whole && !Number.isInteger(number)))
    throw usage(`${option} must be a ${whole ? 'whole ' : ''}number above 0, not "${text}".`)
  return number
}

/** As much of the id as a person needs to type. */
const shortId = (id: string): string => id.replace(/^task_/, '').slice(0, 8)

const WHOLE_ID = 29

/** Finds a task by its id or any unique beginning of it, with or without "task_". */
async function find(client: Client, id: string): Promise<Task> {
  const wanted = id.startsWith('task_') ? id : `task_${id}`
  if (wanted.length >= WHOLE_ID) return client.call('GET /api/tasks/{id}', { params: { id: wanted } })
  const found = (await client.all('GET /api/tasks', { query: {} })).filter((task) => task.id.startsWith(wanted))
  const [first, second] = found
  if (first && !second) return client.call('GET /api/tasks/{id}', { params: { id: first.id } })
  if (first) {
    const ids = found.slice(0, 10).map((task) => task.id)
    throw new Failure(exits.failed, `"${id}" could be ${ids.join(', ')}.`, {
      code: 'task.ambiguous',
      hint: 'Type a few more characters of the one you mean.',
    })
  }
  throw new Failure(exits.failed, `No task begins with "${id}".`, {
    code: 'task.not_found',
    hint: `"${troupe} tasks" lists them.`,
  })
}
