/** One call of the demo's plan, with what it says before it. What came of it is told at the end where `done` says how. */
interface DemoAct {
  readonly tool: string
  readonly input: Record<string, unknown>
  readonly saying: string
  readonly done?: string
}

/** What a person can try, by the tool it takes. */
const offers: readonly { readonly tries: Readonly<Record<string, string>>; readonly remark?: string }[] = [
  { tries: { agent_spawn: 'show me the team' }, remark: ': two helpers at work' },
  { tries: { list_dir: 'list the files', read_file: 'read README.md' } },
  { tries: { write_file: 'write notes.md: buy milk' } },
  { tries: { bash: 'run ls -la' }, remark: ' (you will be asked first)' },
  { tries: { grep: 'find TODO in the code' } },
  { tries: { todo_write: 'plan: pack, drive, rest' } },
  { tries: { ask_human: 'ask me something' } },
  {
    tries: {
      agent_message: 'ask researcher to list the files',
      agent_send: 'tell writer hello',
    },
    remark: ': agents that talk',
  },
]

const either = new Intl.ListFormat('en', { type: 'disjunction' })

/** What the script can do with these tools, and how to get a model that can do more. */
export function abilities(tools: readonly { readonly name: string }[]): string {
  const has = new Set(tools.map(({ name }) => name))
  const lines = offers.flatMap(({ tries, remark = '' }) => {
    const open = Object.keys(tries).filter((tool) => has.has(tool))
    return open.length > 0 ? [`- ${either.format(open.map((tool) => `"${tries[tool]}"`))}${remark}`] : []
  })
  const what =
    lines.length > 0
      ? `I follow a small script and need no key. Try one of these:\n${lines.join('\n')}`
      : 'I follow a small script and need no key, but have none of the tools it uses.'
  return `${what}

To talk to a real model, set ANTHROPIC_API_KEY, or add a provider to the settings, and start a new session.`
}

/** What to do about a message, or undefined when the script has nothing for it. */
export function planFor(message: string): readonly DemoAct[] | undefined {
  const text = message.trim()
  for (const rule of rules) {
    const plan = rule(text)
    if (plan) return plan
  }
  return undefined
}

type Rule = (text: string) => readonly DemoAct[] | undefined

const run: Rule = (text) => {
  const command = (/^(?:please\s+)?(?:run|execute)\s+(?:the command\s+)?(.+)$/is.exec(text)?.[1] ?? '').trim()
  if (command === '') return undefined
  return [
    {
      tool: 'bash',
      input: { command: command.replace(/^`+|`+$/g, '') },
      saying: 'I will run that command.',
      done: 'The command ended. Its output:',
    },
  ]
}

const ask: Rule = (text) => {
  if (!/\bask me\b/i.test(text)) return undefined
  const about = /\bask me\s+(?:about\s+)?(.+)$/is.exec(text)?.[1]?.replace(/[.!?\s]+$/, '')
  const known = about && !/^(?:a question|something|anything)$/i.test(about)
  const question = known ? `What should I know about ${about}?` : 'Which colour do you like best?'
  const options = known ? {} : { options: ['red', 'green', 'blue'] }
  return [{ tool: 'ask_human', input: { question, ...options }, saying: 'I have a question.', done: 'You answered:' }]
}

/** A team at work: a list, and a helper for each of its lines. */
const team: Rule = (text) => {
  if (!/\b(?:the|your|a) team\b/i.test(text)) return undefined
  const helpers = [
    { agent: 'researcher', instruction: 'list the files' },
    { agent: 'coder', instruction: 'find TODO' },
  ]
  const list = (done: number): DemoAct => ({
    tool: 'todo_write',
    input: {
      todos: helpers.map(({ agent, instruction }, at) => ({
        content: `${agent}: ${instruction}`,
        status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
        priority: 'medium',
      })),
    },
    saying: done === 0 ? 'I split the work, and give each part to a helper.' : '',
  })
  const given = helpers.flatMap((input, at): DemoAct[] => [
    list(at),
    { tool: 'agent_spawn', input, saying: '', done: `${input.agent} hands back:` },
  ])
  return [...given, list(helpers.length)]
}

const others = /^(?:please\s+)?(ask|tell|let|have)\s+(?:the\s+)?([a-z][a-z0-9-]*)(?:\s+agent)?[\s:,]+(?:to\s+)?(.+)$/is

/** To another agent: a question, a message, or a piece of work. */
const talk: Rule = (text) => {
  const [, verb = '', name = '', rest = ''] = others.exec(text) ?? []
  if (name === '' || name === 'me') return undefined
  const [to, message] = [name.toLowerCase(), rest.trim()]
  if (/ask/i.test(verb)) {
    return [{ tool: 'agent_message', input: { to, message }, saying: `I will ask ${to}.`, done: `${to} answers:` }]
  }
  if (/tell/i.test(verb)) {
    return [{ tool: 'agent_send', input: { to, message }, saying: `I will tell ${to}.`, done: 'It is on its way:' }]
  }
  const input = { agent: to, instruction: message }
  return [{ tool: 'agent_spawn', input, saying: `I will give that to ${to}.`, done: `${to} hands back:` }]
}

const todo: Rule = (text) => {
  if (!/\b(?:to-?dos?|plan)\b/i.test(text)) return undefined
  const listed = /:\s*([\s\S]+)$/.exec(text)?.[1]
  const steps = (listed ?? 'understand the goal, do the work, check the result').split(/[,;\n]+/)
  const todos = steps
    .map((content) => content.replace(/^[\s\-*\d.]+/, '').trim())
    .filter((content) => content !== '')
    .slice(0, 20)
    .map((content, index) => ({ content, status: index === 0 ? 'in_progress' : 'pending', priority: 'medium' }))
  if (todos.length === 0) return undefined
  return [
    {
      tool: 'todo_write',
      input: { todos },
      saying: 'I will write down a plan.',
      done: `The plan has ${todos.length} steps:`,
    },
  ]
}

const FILE = String.raw`["'\x60]?([\w./-]*[\w-]\.\w{1,8}|[\w./-]+\/[\w.-]+)["'\x60]?`

const write: Rule = (text) => {
  const match = new RegExp(
    String.raw`\b(?:write|create|make)\b[^\n]*?${FILE}(?:\s*(?::|with|saying|containing)\s*([\s\S]+))?`,
    'i',
  ).exec(text)
  const path = match?.[1]
  if (!path) return undefined
  const content = `${(match[2] ?? `# ${path}\n\nWritten by the scripted demo model.`).trim()}\n`
  return [
    { tool: 'write_file', input: { path, content }, saying: `I will write ${path} and read it back.` },
    { tool: 'read_file', input: { path }, saying: 'Now I read it back.', done: `${path} is written. It holds:` },
  ]
}

const read: Rule = (text) => {
  const path = new RegExp(String.raw`\b(?:read|show|open|print|summari[sz]e|what is in)\b[^\n]*?${FILE}`, 'i').exec(
    text,
  )?.[1]
  return path
    ? [{ tool: 'read_file', input: { path }, saying: `I will read ${path}.`, done: `This is what ${path} holds:` }]
    : undefined
}

const find: Rule = (text) => {
  const pattern = /\b(?:find|search(?: for)?|grep(?: for)?|look for)\s+["'`]?([\w-]+)["'`]?/i.exec(text)?.[1]
  return pattern
    ? [
        {
          tool: 'grep',
          input: { pattern },
          saying: `I will look for "${pattern}".`,
          done: `What I found for "${pattern}":`,
        },
      ]
    : undefined
}

const list: Rule = (text) => {
  if (!/\b(?:list|show|what)\b[^\n]*\b(?:files|folders?|director(?:y|ies))\b/i.test(text)) return undefined
  const path = /\b(?:in|of|under)\s+["'`]?([\w.-]+(?:\/[\w.-]*)+|\.)["'`]?/i.exec(text)?.[1] ?? '.'
  return [{ tool: 'list_dir', input: { path }, saying: 'I will look at the files.', done: 'These are the files:' }]
}

// The order decides: "find TODO" is no plan, and "show the files in src/core" names no file.
const rules: readonly Rule[] = [run, talk, team, ask, write, list, read, find, todo]
