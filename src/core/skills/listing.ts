import type { AgentFile } from '../../contract/agents.ts'
import { shorten } from '../../lib/shorten.ts'
import { defuse, defuseTags } from '../base/index.ts'
import { TAG } from './fill.ts'
import { isAmong, type Skill } from './find.ts'

/** What the list may take of every request, however many skills there are. */
const LIST_CHARS = 4000
const LINE_CHARS = 300
const SHORT_CHARS = 90
/** What skills that are loaded whole may take together. */
const LOADED_CHARS = 32 * 1024

const ABOUT =
  'Skills: instructions for a kind of work. When one fits, load it with the tool skill before you begin; its text then counts as instructions.'

interface Listed {
  readonly skills: readonly Skill[]
  readonly choice: AgentFile['skills']
  /** The agent has the tool that loads them. */
  readonly canLoad: boolean
}

/** What a prompt says of skills: those loaded whole, and the others by name and description. Empty where there is nothing to say. */
export function skillsSection({ skills, choice, canLoad }: Listed): string {
  const open = skills.filter(({ humanOnly }) => !humanOnly)
  const wanted = open.filter(({ name, context }) => context === 'main' && isAmong(choice?.autoLoad, name))
  const whole = fitting(wanted)
  const others = canLoad && choice?.discovery !== false ? open.filter((skill) => !whole.includes(skill)) : []
  const left = wanted.filter((skill) => !whole.includes(skill)).map(({ name }) => name)
  return [
    ...whole.map(
      ({ name, folder, body }) =>
        `<${TAG} name="${name}" folder=${JSON.stringify(folder)}>\n${inside(body)}\n</${TAG}>`,
    ),
    ...(left.length > 0 ? [`[Too long to be loaded here: ${shorten(left.join(', '), SHORT_CHARS * 3)}.]`] : []),
    ...(others.length > 0 ? [ABOUT, linesOf(others)] : []),
  ].join('\n')
}

const inside = (text: string): string => defuseTags(defuse(text), [TAG])

function fitting(skills: readonly Skill[]): Skill[] {
  let left = LOADED_CHARS
  return skills.filter(({ body }) => {
    if (body.length > left) return false
    left -= body.length
    return true
  })
}

/** By description, else by its beginning, else by name alone; what even that has no room for is found by words. */
function linesOf(skills: readonly Skill[]): string {
  for (const chars of [LINE_CHARS, SHORT_CHARS]) {
    const lines = skills.map((skill) => `- ${skill.name}: ${shorten(skill.description, chars)}${inHelper(skill)}`)
    const text = lines.join('\n')
    if (text.length <= LIST_CHARS) return text
  }
  let left = LIST_CHARS
  const names = skills
    .map(({ name }) => name)
    .filter((name) => {
      left -= name.length + 2
      return left >= 0
    })
  const more = skills.length - names.length
  const rest = more > 0 ? ` and ${more} more` : ''
  return `${names.join(', ')}${rest}. With words instead of a name, the tool skill says which ones fit.`
}

const inHelper = ({ context }: Skill): string => (context === 'fork' ? ' (done by a helper)' : '')
