import type { SessionId, TaskId } from '../../contract/ids.ts'
import { SKILL_CHARS } from '../../contract/skills.ts'
import { defuse, defuseTags } from '../base/index.ts'
import type { Skill } from './find.ts'

/** For whom the text is filled in. */
export interface FilledFor {
  readonly sessionId: SessionId
  readonly taskId: TaskId | null
  readonly agent: { readonly name: string; readonly folder: string }
}

const PLACES = /\$ARGUMENTS\b|\$AGENT_FOLDER\b|\$\{TROUPE_(?:SESSION_ID|TASK_ID|AGENT_NAME)\}|\$[1-9](?!\d)/g

/** What fills all places together, beside the words once: a text that repeats long words would grow without end. */
const REPEATED_CHARS = SKILL_CHARS
const TOO_OFTEN = '[The later places are not filled in: what stands for them is too long to be repeated so often.]'

/** The text of a skill with its variables. Words that the text has no place for stand below it. */
function fillSkill({ body }: Pick<Skill, 'body'>, words: string, about: FilledFor): string {
  const each = splitWords(words)
  let asked = false
  let room = words.length + REPEATED_CHARS
  let full = false
  // One pass: what the words themselves say is not filled in again.
  const text = body.replace(PLACES, (place) => {
    if (/^\$(ARGUMENTS|\d)/.test(place)) asked = true
    const value = standsFor(place, words, each, about)
    full ||= value.length > room
    if (full) return place
    room -= value.length
    return value
  })
  const note = full ? `\n\n${TOO_OFTEN}` : ''
  return `${text}${asked || words === '' ? '' : `\n\nARGUMENTS: ${words}`}${note}`
}

function standsFor(place: string, words: string, each: readonly string[], about: FilledFor): string {
  if (place === '$ARGUMENTS') return words
  if (/^\$\d$/.test(place)) return each[Number(place[1]) - 1] ?? ''
  return known[place]?.(about) ?? ''
}

/** The same, between tags that its text cannot close, with the folder in which files beside it lie. */
export function skillBlock(skill: Skill, words: string, about: FilledFor): string {
  const text = defuseTags(defuse(fillSkill(skill, words, about)), [TAG])
  return `<${TAG} name="${skill.name}" folder=${JSON.stringify(skill.folder)}>\n${text}\n</${TAG}>`
}

export const TAG = 'skill'

const known: Readonly<Record<string, (about: FilledFor) => string | null>> = {
  $AGENT_FOLDER: ({ agent }) => agent.folder,
  '${TROUPE_SESSION_ID}': ({ sessionId }) => sessionId,
  '${TROUPE_TASK_ID}': ({ taskId }) => taskId,
  '${TROUPE_AGENT_NAME}': ({ agent }) => agent.name,
}

/** At blanks; what stands in quotes stays together. */
const splitWords = (words: string): string[] =>
  [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? '')
