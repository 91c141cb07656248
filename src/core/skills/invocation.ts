import { AppError } from '../../contract/errors.ts'
import type { From } from '../../contract/messages.ts'
import { closest, suggestion } from '../../lib/closest.ts'
import { shorten } from '../../lib/shorten.ts'
import { type FilledFor, skillBlock } from './fill.ts'
import type { Skill } from './find.ts'

interface Invocation {
  readonly name: string
  readonly words: string
}

/** `/name words` at the very beginning of a text. "/usr/bin is full" is none. */
export function invocationIn(text: string): Invocation | undefined {
  const [whole, name] = /^\/([A-Za-z][A-Za-z0-9_.:-]{0,63})(?=\s|$)/.exec(text) ?? []
  return whole === undefined || name === undefined ? undefined : { name, words: text.slice(whole.length).trim() }
}

/** A trigger that an agent made speaks for that agent; one of a person for the person. */
export const speaksForAgent = ({ kind, agent }: Pick<From, 'kind' | 'agent'>): boolean =>
  kind === 'agent' || (kind === 'trigger' && agent !== undefined)

/** Refuses what an agent begins with a skill that the receiver lacks, or that is for people only. */
export function checkInvocation(skills: readonly Skill[], content: string, receiver: string): void {
  const asked = invocationIn(content)
  const skill = asked && findSkill(skills, asked.name)
  if (asked === undefined || skill?.humanOnly === false) return
  const plain = `If you meant no skill, let the message begin with another word.`
  if (skill !== undefined)
    throw new AppError('skill.human_only', `/${skill.name} can be started by a person only.`, {
      hint: `Ask the person to start it, or say what is to be done in your own words. ${plain}`,
    })
  const names = skills.filter(({ humanOnly }) => !humanOnly).map(({ name }) => name)
  const there = names.length === 0 ? `${receiver} has no skills.` : suggestion(asked.name, names, 'It has')
  throw new AppError('skill.not_found', `${receiver} has no skill "${asked.name}".`, { hint: `${there} ${plain}` })
}

/** What a person is told whose message begins like a skill that the receiver lacks: it was taken as it is. */
export function invocationHint(skills: readonly Skill[], content: string, receiver: string): string | undefined {
  const asked = invocationIn(content)
  if (asked === undefined || findSkill(skills, asked.name)) return undefined
  const names = skills.map(({ name }) => name)
  const near = closest(asked.name, names)
  const has = near ? `did you mean /${near}?` : names.length > 0 ? `it has ${shorten(names.join(', '), 200)}.` : ''
  return `${receiver} has no skill "${asked.name}", so it read this as plain text${has ? `; ${has}` : '.'}`
}

/** What the model is told behind a message that begins with the name of a skill; undefined where it is only text. */
export function invocationNote(
  skills: readonly Skill[],
  { content, from }: { readonly content: string; readonly from: Pick<From, 'kind' | 'agent'> },
  about: FilledFor,
): string | undefined {
  const asked = from.kind === 'system' ? undefined : invocationIn(content)
  const skill = asked && findSkill(skills, asked.name)
  if (asked === undefined || skill === undefined) return undefined
  if (skill.humanOnly && speaksForAgent(from))
    return `The message above asks for the skill "${skill.name}", which only a person can start: it was not started.`
  if (skill.context === 'main')
    return `The message above starts the skill "${skill.name}". What it says here counts as your instructions:\n${skillBlock(skill, asked.words, about)}`
  const words = asked.words === '' ? 'and no arguments' : 'and as arguments all that follows its name in the message'
  return `The message above starts the skill "${skill.name}", which a helper does. Call the tool skill with the name "${skill.name}" ${words}, then answer with what it returns.`
}

export const findSkill = (skills: readonly Skill[], name: string): Skill | undefined =>
  skills.find((skill) => skill.name === name)
