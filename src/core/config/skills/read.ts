import { join } from 'node:path'
import type { Agent, Problem } from '../../../contract/agents.ts'
import { SKILL_CHARS, SkillFile, SkillName, type SkillSource } from '../../../contract/skills.ts'
import { listFolder, readSmall, type SmallFile } from '../../../lib/files/files.ts'
import { isOpenToCommand } from '../../../lib/sandbox/watch.ts'
import { readYaml, YAML_CHARS } from '../../../lib/yaml.ts'
import { type Project, problemsOf } from '../../base/index.ts'
import { ownFolderOf } from '../agents/load.ts'
import { readFrontMatter } from '../agents/read.ts'
import type { Sources } from '../settings/layers.ts'

/** A skill as it lies on disk. Nothing of it acts: its text is shown to a model, trusted or not. */
export interface SkillOnDisk {
  readonly name: string
  readonly source: SkillSource
  readonly folder: string
  readonly file: string
  readonly fields: SkillFile
  readonly body: string
}

interface SkillsOnDisk {
  readonly skills: readonly SkillOnDisk[]
  /** What cannot be used, and what stands behind another of its name. */
  readonly problems: readonly Problem[]
}

const SKILLS = 500
/** Of one folder: its texts, and many times over what stands in front of them, which takes long to read. */
const ROOM_CHARS = 16_000_000
const FRONT_WEIGHT = 30

/** The skills of an agent, a project and the person, and those other programs keep in the project; the first of a name is it. */
export function skillsOnDisk(core: Sources, project: Project, agent: Agent | undefined): SkillsOnDisk {
  const skills = new Map<string, SkillOnDisk>()
  const problems: Problem[] = []
  for (const place of placesOf(core, project, agent)) {
    const read = readPlace(place)
    problems.push(...read.problems)
    for (const skill of read.skills) {
      const before = skills.get(skill.name)
      if (before) problems.push(behind(skill, before))
      else skills.set(skill.name, skill)
    }
  }
  return { skills: [...skills.values()], problems }
}

interface Place {
  readonly source: SkillSource
  readonly folder: string
  /** The files must really lie under this folder. */
  readonly root?: string
}

function placesOf(core: Sources, project: Project, agent: Agent | undefined): Place[] {
  const root = project.path
  const own = agent && ownFolderOf(core, project, agent)
  return [
    ...(own ? [{ ...own, source: 'agent' as const, folder: join(own.folder, 'skills') }] : []),
    { source: 'project', folder: join(root, '.troupe', 'skills'), root },
    { source: 'global', folder: join(core.home, 'skills') },
    { source: '.claude', folder: join(root, '.claude', 'skills'), root },
    { source: '.agents', folder: join(root, '.agents', 'skills'), root },
  ]
}

const behind = ({ name, file }: SkillOnDisk, before: SkillOnDisk): Problem => ({
  file,
  field: 'name',
  message: `${name} is not used: ${before.file} has that name`,
})

const kept = new Map<string, SkillsOnDisk>()
const KEPT = 200

/** While a command could have changed the folder, it counts as it was: what the command left there is not approved yet. */
function readPlace(place: Place): SkillsOnDisk {
  const known = isOpenToCommand(place.folder) ? kept.get(place.folder) : undefined
  if (known) return known
  const names = listFolder(place.folder).flatMap(({ name, folder }) => (folder && !/^[._]/.test(name) ? [name] : []))
  const read: Read[] = []
  let room = ROOM_CHARS
  for (const name of names.slice(0, SKILLS)) {
    if (room <= 0) break
    const one = readSkill(place, name)
    room -= one.weight
    read.push(one)
  }
  const most = room <= 0 ? 'more text in its skills than is read of one folder' : `more than ${SKILLS} skills`
  const tooMany = { file: place.folder, message: `has ${most}; the rest is not read` }
  const found = {
    skills: read.flatMap((one) => ('skill' in one ? [one.skill] : [])),
    problems: [
      ...read.flatMap((one) => ('problems' in one ? one.problems : [])),
      ...(names.length > read.length ? [tooMany] : []),
    ],
  }
  kept.delete(place.folder)
  kept.set(place.folder, found)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? '')
  return found
}

type Read = { readonly weight: number } & ({ readonly skill: SkillOnDisk } | { readonly problems: readonly Problem[] })

function readSkill({ source, folder: place, root }: Place, called: string): Read {
  const folder = join(place, called)
  const path = join(folder, 'SKILL.md')
  const file = readSmall(path, root === undefined ? {} : { root })
  if (file === undefined) return wrong(path, 'is missing; a skill is a folder with this file')
  const { fields, body, problems } = contentOf(file)
  const front = Math.min(YAML_CHARS, file.text.length - body.length)
  const weight = file.text.length + FRONT_WEIGHT * front
  const name = fields.name ?? called
  const named = SkillName.safeParse(name)
  if (problems.length > 0) return { problems, weight }
  if (!named.success)
    return wrong(path, `the folder's name ${named.error.issues[0]?.message}; or give it a "name"`, weight)
  return { weight, skill: { name, source, folder, file: path, fields, body } }
}

const wrong = (file: string, message: string, weight = 0): Read => ({ weight, problems: [{ file, message }] })

interface Content {
  readonly fields: SkillFile
  readonly body: string
  readonly problems: readonly Problem[]
}

const contents = new WeakMap<SmallFile, Content>()

function contentOf(file: SmallFile): Content {
  const known = contents.get(file)
  if (known) return known
  const made = readContent(file)
  contents.set(file, made)
  return made
}

function readContent(file: SmallFile): Content {
  const { fields, body, problem } = looseMatter(file)
  const checked = SkillFile.safeParse(fields)
  const text = body.trim()
  const messages = [
    file.problem,
    problem,
    file.cut || text.length > SKILL_CHARS
      ? `is longer than ${SKILL_CHARS / 1024} KB; move what is seldom needed into files beside it`
      : undefined,
    text === '' && !file.problem && !problem ? 'has no text below the front matter' : undefined,
  ].filter((message) => message !== undefined)
  return {
    fields: checked.data ?? {},
    body: text,
    problems: [
      ...messages.map((message) => ({ file: file.path, message })),
      ...(checked.success ? [] : problemsOf(file.path, checked.error.issues)),
    ],
  }
}

/** Front matter as other programs take it: a value that is no YAML is taken as the text that it is. A field without a value is none. */
export function looseMatter(file: SmallFile): { fields: unknown; body: string; problem?: string } {
  const read = readFrontMatter(file)
  const fields = read.problem === undefined ? read.fields : quotedFields(file.text)
  if (fields === undefined || typeof fields !== 'object') return read
  return {
    body: read.body,
    fields: Array.isArray(fields)
      ? fields
      : Object.fromEntries(Object.entries(fields as object).filter(([, value]) => value !== null)),
  }
}

function quotedFields(text: string): unknown {
  const inner = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1]
  if (inner === undefined || inner.length > YAML_CHARS) return undefined
  const lines = inner.split(/\r?\n/).map((line) => {
    const [, key, value] = /^([\w-]+):[ \t]+([^'"|>\s].*)$/.exec(line) ?? []
    return key === undefined ? line : `${key}: ${JSON.stringify(value?.trim())}`
  })
  const read = readYaml(lines.join('\n'))
  return 'value' in read ? read.value : undefined
}
