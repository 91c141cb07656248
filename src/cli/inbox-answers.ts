import type { Decision, InboxAnswer, InboxItem } from '../contract/inbox.ts'
import { exits, Failure } from './failure.ts'
import { answerWith } from './inbox-items.ts'

/** One thing a person may answer. `says` tells whether what they typed means it. */
export interface Choice {
  readonly key: string
  readonly label: string
  says(text: string): boolean
}

const words: Record<Decision, readonly string[]> = {
  once: ['o', 'y', 'yes', 'once'],
  session: ['s', 'session'],
  always: ['a', 'always'],
  deny: ['d', 'n', 'no', 'deny'],
}

/** Where there is no rule to keep, allowing for longer is no choice. */
const labels = ({ rules = [] }: InboxItem): Partial<Record<Decision, string>> => ({
  once: 'allow this one',
  ...(rules.length > 0 && {
    session: 'allow the same again in this session',
    always: ['always allow in this project:', ...rules.map((rule) => rule.replaceAll('\n', '⏎'))].join('\n'),
  }),
  deny: 'deny; behind it you may say why',
})

export function choicesFor(item: InboxItem): Choice[] {
  if (item.kind !== 'approval')
    return (item.options ?? []).map((label, at) => ({
      key: String(at + 1),
      label,
      says: (text) => text.trim() === String(at + 1) || text.trim() === label,
    }))
  const offered = labels(item)
  return (Object.keys(words) as Decision[]).flatMap((decision) => {
    const label = offered[decision]
    const says = (text: string): boolean => decisionIn(text)?.decision === decision
    return label === undefined ? [] : [{ key: decision[0]!, label, says }]
  })
}

/** Whether a line can answer an item: it is a decision, or one of the options; where there are none, any words do. */
export function isAnswer(item: InboxItem, text: string): boolean {
  const choices = choicesFor(item)
  return choices.length === 0 || choices.some(({ says }) => says(text))
}

/** What a line means as the answer to an item. */
export function answerMeantBy(item: InboxItem, text: string): InboxAnswer {
  if (item.kind !== 'approval') return answerWith(item, text.trim())
  const answer = decisionIn(text)
  if (!answer)
    throw new Failure(
      exits.failed,
      'Say o (once), s (session), a (always) or d (deny), alone; behind d you may say why.',
      {
        code: 'inbox.bad_answer',
      },
    )
  return answer
}

/** A word that allows must stand alone: "a better idea: …", typed as an approval comes, must not mean "always". */
function decisionIn(text: string): { decision: Decision; reason?: string } | undefined {
  const said = text.trim()
  const [word = '', ...rest] = said.split(/[\s:,]+/)
  for (const decision of Object.keys(words) as Decision[]) {
    if (!words[decision].includes(word.toLowerCase())) continue
    if (rest.length === 0) return { decision }
    if (decision === 'deny') return { decision, reason: said.slice(word.length).replace(/^[\s:,]+/, '') }
  }
  return undefined
}
