import { hex } from '../ids.ts'
import { bashArguments, type CommandRequest, type Ended, type Guarded, StartError, startGuarded } from './processes.ts'

/** Commands that go on after the call that started them has returned. Like every child, they end with this process. */

type Started = 'command' | 'program' | 'cwd' | 'env' | 'declared' | 'descriptors' | 'scoped' | 'caps'

interface BackgroundRequest extends Pick<CommandRequest, Started> {
  /** Only the owner can read and stop the command. */
  readonly owner: string
  readonly onEnded?: () => void
}

interface BackgroundOutput {
  readonly output: string
  /** Characters that were not kept: the command wrote more than the limit since the last reading. */
  readonly missed: number
  /** Where the next reading begins. */
  readonly next: number
  readonly more: boolean
  readonly running: boolean
  readonly ended?: Ended
}

interface Background {
  readonly id: string
  readonly owner: string
  readonly child: Guarded
  /** The last characters it wrote. */
  kept: string
  total: number
  read: number
  ended?: Ended
}

const KEPT_CHARS = 200_000
const RUNNING_LIMIT = 16
const ENDED_LIMIT = 16

const commands = new Map<string, Background>()

/** Throws a StartError when the command cannot be started or its owner has too many running already. */
export function startBackground({ owner, command, onEnded, ...request }: BackgroundRequest): { id: string } {
  const own = [...commands.values()].filter((one) => one.owner === owner)
  const running = own.filter((one) => one.ended === undefined)
  if (running.length >= RUNNING_LIMIT)
    throw new StartError(`${RUNNING_LIMIT} background commands run already: stop one first (${ids(running)}).`)
  for (const old of own.filter((one) => one.ended !== undefined).slice(0, -ENDED_LIMIT)) commands.delete(old.id)

  const id = `bg_${hex(4)}`
  const program = request.program ?? bashArguments(command)
  const child = startGuarded({ ...request, program, onOutput: (text) => keep(one, text) })
  const one: Background = { id, owner, child, kept: '', total: 0, read: 0 }
  commands.set(id, one)
  child.ended.finally(onEnded).catch(() => {})
  child.ended.then(
    (ended) => {
      one.ended = ended
    },
    (error: Error) => {
      keep(one, error.message)
      one.ended = { exitCode: null, signal: null }
    },
  )
  return { id }
}

/** What the command wrote after `since`, or after the last reading; undefined when this owner has no such command. */
export function readBackground(
  id: string,
  { owner, since, limit = KEPT_CHARS }: { owner: string; since?: number; limit?: number },
): BackgroundOutput | undefined {
  const one = find(id, owner)
  if (!one) return undefined
  const dropped = one.total - one.kept.length
  const from = Math.min(since ?? one.read, one.total)
  const begin = Math.max(from, dropped)
  const output = one.kept.slice(begin - dropped, begin - dropped + limit)
  one.read = begin + output.length
  return {
    output,
    missed: begin - from,
    next: one.read,
    more: one.read < one.total,
    running: one.ended === undefined,
    ...(one.ended && { ended: one.ended }),
  }
}

/** Settles when the command's tree is gone; false when this owner has no such command. */
export async function stopBackground(id: string, { owner }: { owner: string }): Promise<boolean> {
  const one = find(id, owner)
  if (!one) return false
  await stop(one)
  return true
}

/** Ends the background commands of one owner, or all of them, and forgets them. */
export async function stopAll(owner?: string): Promise<void> {
  const stopping = [...commands.values()].filter((one) => owner === undefined || one.owner === owner)
  for (const one of stopping) commands.delete(one.id)
  await Promise.all(stopping.map(stop))
}

/** The running ones, oldest first. */
export const runningBackground = (owner: string): string[] =>
  [...commands.values()].filter((one) => one.owner === owner && one.ended === undefined).map((one) => one.id)

async function stop(one: Background): Promise<void> {
  if (one.ended === undefined) one.child.end()
  await one.child.ended.catch(() => {})
}

function find(id: string, owner: string): Background | undefined {
  const one = commands.get(id)
  return one?.owner === owner ? one : undefined
}

function keep(one: Background, text: string): void {
  one.total += text.length
  one.kept += text
  if (one.kept.length > 2 * KEPT_CHARS) one.kept = one.kept.slice(-KEPT_CHARS)
}

const ids = (some: readonly Background[]): string => some.map((one) => one.id).join(', ')
