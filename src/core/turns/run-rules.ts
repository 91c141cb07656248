/** Built-in tools that a worker seldom needs: nodes take the place of helpers, and what its prompt names it can search for. */
const rareForWorkers: ReadonlySet<string> = new Set([
  ...['agent_spawn', 'agent_message', 'todo_write'],
  ...['checkpoint', 'suggest_next', 'read_ref'],
])

/** They are there in a run only, so for other sessions this says nothing. */
const rareForCoordinators: ReadonlySet<string> = new Set(['assign_worker', 'retire_worker', 'cancel_node'])

export const rarelyUsedBy = ({ worker }: { readonly worker: string | null }): ReadonlySet<string> =>
  worker === null ? rareForCoordinators : rareForWorkers

/** What a session is in an open run, and the tools it has there, loaded or listed. */
export interface RunPart {
  /** Its name, where it is a worker. */
  readonly worker?: string | undefined
  /** It works in cycles, without an end of its own. */
  readonly infinite?: boolean
  readonly tools: ReadonlySet<string>
}

/** What a member of a run is told instead of the rules of its mode. A line about a tool is there for whoever has it. */
export function runRules({ worker, infinite, tools }: RunPart): string {
  const lines = worker === undefined ? ofCoordinator : [...ofWorker, tools.has('publish') ? PUBLISH : LAST_WORDS]
  const told = lines.filter(([tool]) => tool === undefined || tools.has(tool)).map(([, line]) => `- ${line}`)
  const head = worker === undefined ? (infinite ? INFINITE : COORDINATOR) : beginning(worker)
  return [head, ...told].join('\n')
}

type Line = readonly [tool: string | undefined, text: string]

const COORDINATOR =
  'You coordinate a run: the goal is in work until you call finish. The board grows with what you learn.'

const INFINITE =
  'You coordinate a run without an end: it works in cycles, and only the human ends it. Do what this cycle needs, write to memory what lasts, and finish the cycle; a message calls you to the next. The board grows with what you learn.'

const ofCoordinator: readonly Line[] = [
  ['create_work_node', 'Put on the board what can begin now, and end your turn.'],
  ['write_plan', 'Keep the goal as you see it and what is decided in _plan.md, by write_plan: all can read it.'],
  ['start_stage', 'Nodes whose results you want together: start_stage, then reconvene.'],
  ['read_file', 'What a node hands over lies in nodes/<id>/published/: read it there before you judge it.'],
  ['spawn_worker', 'Take on workers where agent or model matter, and give each the nodes that suit it.'],
  ['agent_send', 'Write to workers by name; what concerns only them they settle among themselves.'],
  ['finish', 'If nothing runs and you neither make a node, ask nor finish, the run stands still.'],
]

const beginning = (name: string): string =>
  `You are the worker ${name} of a run. Each node you are given is a message with its spec; your conversation goes on from one to the next.`

const ofWorker: readonly Line[] = [
  [undefined, 'Do what the spec asks, all of it and no more. Check it point by point before you end.'],
  ['suggest_next', 'What else ought to be done, suggest with suggest_next.'],
  ['checkpoint', 'When others could go on with what you have, checkpoint.'],
  ['create_work_node', 'A part for somebody else is a node of its own; go on when told of its end.'],
  ['agent_send', 'Write to coordinator, or to another worker by name, what they need to go on.'],
]

const PUBLISH: Line = [
  'publish',
  'Files go into your scratch folder. publish ends the node: say what was achieved, which files, what is open.',
]

const LAST_WORDS: Line = [
  undefined,
  'End with the result: what was achieved, where it is, what is open. The others see only that.',
]
