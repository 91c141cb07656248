/** A tool call as far as words about it need it. */
interface Called {
  readonly name: string
  readonly input: unknown
}

/** Of these calls, whom they are for and what is said are both telling. */
const addressed = new Set(['agent_spawn', 'agent_message', 'agent_send', 'switch_to'])

/** The most telling part of an input: "npm test" of bash, the path of a file tool. */
export function tellingPart({ name, input }: Called): string {
  const fields = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  const words = fields.filter((value) => typeof value === 'string')
  const told = addressed.has(name) && words.length > 1 ? `${words[0]}: ${words[1]}` : words[0]
  return String(told ?? (fields.length > 0 ? JSON.stringify(input) : '') ?? '')
}

/** What calls of one tool did, by how many they were. */
const phrases: Readonly<Record<string, (count: number) => string>> = {
  spawn_worker: (count) => `took on ${many(count, 'worker')}`,
  retire_worker: (count) => `let ${many(count, 'worker')} go`,
  assign_worker: (count) => `gave work to ${many(count, 'worker')}`,
  create_work_node: (count) => `added ${many(count, 'node')}`,
  cancel_node: (count) => `called ${many(count, 'node')} off`,
  start_stage: (count) => `started ${many(count, 'stage')}`,
  check_board: () => 'looked at the board',
  write_plan: () => 'wrote the plan',
  read_ref: (count) => `read ${many(count, 'published file')}`,
  publish: () => 'handed its work over',
  finish: () => 'ended the run',
  agent_send: (count) => `wrote ${many(count, 'message')}`,
  task_create: (count) => `gave ${many(count, 'task')}`,
  web_fetch: (count) => `read ${many(count, 'page')}`,
  web_search: (count) => `searched the web ${times(count)}`,
  memory_write: () => 'wrote to its memory',
  memory_search: (count) => `searched its memory ${times(count)}`,
}

const kinds: Record<string, string> = {
  bash: 'ran',
  edit_file: 'edited',
  write_file: 'edited',
  read_file: 'read',
  grep: 'searched',
  glob: 'searched',
  list_dir: 'listed',
  agent_spawn: 'handed',
  agent_message: 'asked',
}

/** "ran 3 commands, edited 2 files" */
export function summaryOf(calls: readonly Called[]): string {
  const by = Map.groupBy(calls, ({ name }) => kinds[name] ?? name)
  return [...by].map(([kind, own]) => phrase(kind, own)).join(', ')
}

function phrase(kind: string, calls: readonly Called[]): string {
  const paths = new Set(calls.map(({ input }) => (input as { path?: string } | null)?.path ?? input)).size
  if (kind === 'ran') return `ran ${many(calls.length, 'command')}`
  if (kind === 'edited' || kind === 'read') return `${kind} ${many(paths, 'file')}`
  if (kind === 'searched') return `searched ${times(calls.length)}`
  if (kind === 'listed') return `listed ${many(paths, 'folder')}`
  if (kind === 'handed') return `handed out ${many(calls.length, 'task')}`
  if (kind === 'asked') return `asked ${many(calls.length, 'agent')}`
  const told = phrases[kind]
  if (told) return told(calls.length)
  return `${kind}${calls.length > 1 ? ` ${times(calls.length)}` : ''}`
}

const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
