import { join } from 'node:path'
import type { Problem } from '../../../contract/agents.ts'
import { listFolder, readSmall, type SmallFile, statOf } from '../../../lib/files/files.ts'
import { type Parsed, readJsonc } from '../../../lib/jsonc.ts'
import { readYaml } from '../../../lib/yaml.ts'

/** A definition as it lies on disk, not yet checked against the schema. */
export interface Definition {
  readonly name: string
  readonly form: 'folder' | 'file'
  readonly folder: string
  /** The file that holds the fields; problems name it. */
  readonly file: string
  readonly files: readonly SmallFile[]
  readonly fields: unknown
  readonly prose: { readonly agent: string; readonly soul: string; readonly goal: string }
  readonly problems: readonly Problem[]
}

/** Of a folder; one beyond that is found by its name. */
const LISTED = 300

const parts = ['agent.json', 'AGENT.md', 'SOUL.md', 'GOAL.md'] as const

/** The names of all definitions in a folder of agents, broken ones too. */
export function definitionNames(agents: string): string[] {
  const names = listFolder(agents).flatMap(({ name, folder }) => {
    if (/^[._]/.test(name) || /^readme\.md$/i.test(name)) return []
    if (folder) return parts.some((part) => statOf(join(agents, name, part))) ? [name] : []
    return name.endsWith('.md') ? [name.slice(0, -3)] : []
  })
  return [...new Set(names)].slice(0, LISTED)
}

/** With `root`, the files must really lie under that folder. */
export function readDefinition(agents: string, name: string, root?: string): Definition | undefined {
  const options = root === undefined ? {} : { root }
  const folder = join(agents, name)
  if (statOf(folder)?.isDirectory()) {
    const files = parts.map((part) => readSmall(join(folder, part), options))
    if (files.some((file) => file !== undefined)) return fromFolder(name, folder, files)
  }
  const file = readSmall(`${folder}.md`, options)
  return file && fromFile(name, agents, file)
}

function fromFolder(name: string, folder: string, found: readonly (SmallFile | undefined)[]): Definition {
  const [json, agent, soul, goal] = found
  const parsed: Parsed = json ? readJsonc(json) : { value: {}, errors: [] }
  const file = join(folder, 'agent.json')
  const files = found.filter((each) => each !== undefined)
  return {
    name,
    form: 'folder',
    folder,
    file,
    files,
    fields: parsed.value ?? {},
    prose: { agent: agent?.text ?? '', soul: soul?.text ?? '', goal: goal?.text ?? '' },
    problems: [...readProblems(files), ...parsed.errors.map((message) => ({ file, message }))],
  }
}

function fromFile(name: string, agents: string, file: SmallFile): Definition {
  const { fields, body, problem } = readFrontMatter(file)
  return {
    name,
    form: 'file',
    folder: agents,
    file: file.path,
    files: [file],
    fields,
    prose: { agent: body, soul: '', goal: '' },
    problems: [...readProblems([file]), ...(problem ? [{ file: file.path, message: problem }] : [])],
  }
}

/** The fields that a file gives, agent.json and the single-file form alike. */
export const fieldsOf = (file: SmallFile): unknown =>
  file.path.endsWith('.md') ? readFrontMatter(file).fields : readJsonc(file).value

const matters = new WeakMap<SmallFile, ReturnType<typeof frontMatter>>()

export function readFrontMatter(file: SmallFile): ReturnType<typeof frontMatter> {
  const known = matters.get(file) ?? frontMatter(file.text)
  matters.set(file, known)
  return known
}

/** Markdown that may begin with YAML between two lines of dashes. */
function frontMatter(text: string): { fields: unknown; body: string; problem?: string } {
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(text)
  if (match?.index !== 0) {
    if (/^---[ \t]*\r?\n/.test(text)) return { fields: {}, body: '', problem: 'the front matter has no closing "---"' }
    return { fields: {}, body: text }
  }
  const body = text.slice(match[0].length)
  // The line break in front makes the line numbers those of the file.
  const read = readYaml(`\n${match[1] ?? ''}`)
  if ('problem' in read) return { fields: {}, body, problem: `has front matter that cannot be read: ${read.problem}` }
  return { fields: read.value ?? {}, body }
}

function readProblems(files: readonly SmallFile[]): Problem[] {
  return files.flatMap(({ path, problem, cut }) => {
    if (problem) return [{ file: path, message: problem }]
    return cut ? [{ file: path, message: 'is too large (256 KB at most); move reference text into other files' }] : []
  })
}
