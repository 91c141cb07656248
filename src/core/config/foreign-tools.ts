/** What other programs call the tools that are here too, in small letters and without dashes. */
const known: Readonly<Record<string, readonly string[]>> = {
  '*': ['*'],
  read: ['read_file'],
  write: ['write_file'],
  edit: ['edit_file'],
  multiedit: ['edit_file'],
  patch: ['edit_file'],
  applypatch: ['edit_file'],
  ls: ['list_dir'],
  list: ['list_dir'],
  glob: ['glob'],
  grep: ['grep'],
  bash: ['bash'],
  bashoutput: ['bash'],
  killbash: ['bash'],
  killshell: ['bash'],
  webfetch: ['web_fetch'],
  websearch: ['web_search'],
  todowrite: ['todo_write', 'todo_read'],
  todoread: ['todo_read'],
  task: ['agent_spawn'],
  agent: ['agent_spawn'],
  askuserquestion: ['ask_human'],
  question: ['ask_human'],
  skill: ['skill'],
  slashcommand: ['skill'],
  toolsearch: ['tool_search'],
}

/** Our names for a tool of another program; undefined where there is none. `Bash(git:*)` is the tool Bash. */
export const ourTools = (theirs: string): readonly string[] | undefined => {
  const name = toolIn(theirs).toLowerCase().replaceAll(/[-_]/g, '')
  return Object.hasOwn(known, name) ? known[name] : undefined
}

/** The tool that an entry names, without its pattern. */
export const toolIn = (entry: string): string => entry.replace(/\(.*$/s, '').trim()

/** A list of tools as it is written elsewhere: YAML, or text with commas or blanks between the entries. */
export const toolList = (given: unknown): string[] =>
  (Array.isArray(given) ? given.map(String) : (String(given).match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [])).filter(Boolean)
