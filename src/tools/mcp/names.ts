import { sha256 } from '../../lib/files/files.ts'

const LONGEST = 64
const MARK_CHARS = 6

/** What models call a tool of a server: safe for every vendor, and of one server each only once. */
export function toolNames(server: string, tools: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const tool of tools) {
    const plain = `mcp__${server}__${tool.replace(/[^a-zA-Z0-9_-]/g, '_')}`
    const fits = plain.length <= LONGEST && !taken.has(plain)
    const name = fits ? plain : marked(plain, tool)
    if (taken.has(name)) continue
    taken.add(name)
    names.set(tool, name)
  }
  return names
}

/** Cut, or told from another by a mark that is made of its whole name. */
const marked = (plain: string, tool: string): string =>
  `${plain.slice(0, LONGEST - MARK_CHARS - 1)}_${sha256(tool).slice(0, MARK_CHARS)}`

/** What rules call it. Brackets would begin a pattern, and a star would mean others too. */
export const ruleNameOf = (server: string, tool: string): string => `mcp:${server}.${tool.replace(/[()*\\\s]/g, '_')}`
