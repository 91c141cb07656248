/** A call of a tool as a sentence that begins with a verb: "reads notes.md". */
export function callInWords(name: string, preview: string): string {
  const said = sentences[name]
  if (said === undefined) return `uses ${name}`
  const [verb, field] = said
  const about = field === undefined ? '' : short(fieldIn(preview, field), field)
  return about === '' ? verb.replace(/ (to|for|of)$/, '') : `${verb} ${about}`
}

const sentences: Readonly<Record<string, readonly [verb: string, field?: string]>> = {
  read_file: ['reads', 'path'],
  write_file: ['writes', 'path'],
  edit_file: ['edits', 'path'],
  list_dir: ['looks through', 'path'],
  glob: ['looks for', 'pattern'],
  grep: ['searches for', 'pattern'],
  bash: ['runs', 'command'],
  web_fetch: ['reads', 'url'],
  web_search: ['searches the web for', 'query'],
  ask_human: ['asks you'],
  agent_send: ['writes to', 'to'],
  agent_message: ['asks', 'to'],
  agent_spawn: ['has help from', 'agent'],
  spawn_worker: ['takes on', 'name'],
  retire_worker: ['lets go', 'name'],
  assign_worker: ['gives work to', 'worker'],
  create_work_node: ['adds the node', 'task'],
  cancel_node: ['calls a node off'],
  start_stage: ['starts the stage', 'name'],
  reconvene: ['looks at what the stage brought'],
  check_board: ['looks at the board'],
  read_ref: ['reads', 'ref'],
  publish: ['hands its work over'],
  checkpoint: ['notes how far it is'],
  suggest_next: ['suggests what comes next'],
  finish: ['ends the run'],
  memory_read: ['reads its memory'],
  memory_search: ['searches its memory'],
  memory_write: ['writes to its memory'],
  task_create: ['gives a task to', 'agent'],
  task_wait: ['waits for its tasks'],
  todo_write: ['writes its list'],
  todo_read: ['reads its list'],
  sleep: ['waits'],
  skill: ['follows the skill', 'name'],
}

const SHORT = 60

function fieldIn(preview: string, field: string): string {
  try {
    const input = JSON.parse(preview) as Readonly<Record<string, unknown>>
    return typeof input[field] === 'string' ? input[field] : ''
  } catch {
    // An input that was cut is no JSON any more; its beginning is enough.
    return new RegExp(`"${field}":"((?:[^"\\\\]|\\\\.)*)`).exec(preview)?.[1]?.replaceAll('\\n', '\n') ?? ''
  }
}

const nameOf = (path: string): string =>
  path === '.' || path === '' ? 'its folder' : (path.split('/').findLast((part) => part !== '') ?? path)

function short(text: string, field: string): string {
  const [line = ''] = text.trim().split('\n')
  const named = field === 'path' ? nameOf(line) : line
  return named.length > SHORT ? `${named.slice(0, SHORT)}…` : named
}
