import { z } from 'zod'
import { Time } from './ids.ts'

/** Something that is waited for: the person who paused it, an inbox item, another session, a task, a timer, a slot, … */
export const WhyThing = z.strictObject({
  kind: z.enum([
    'model',
    'call',
    'approval',
    'question',
    'timer',
    'session',
    'task',
    'person',
    'runner',
    'slot',
    'budget',
    'chain',
    'node',
    'worker',
  ]),
  /** An id where it has one; else the name of the model, the setting, the process. */
  ref: z.string(),
  label: z.string(),
})
export type WhyThing = z.infer<typeof WhyThing>

/** What makes it go on by itself. */
export const WhyWakes = z.strictObject({
  by: z.enum([
    'answer',
    'mail',
    'time',
    'task',
    'model',
    'call',
    'runner',
    'safe-point',
    'person',
    'budget',
    'nothing',
  ]),
  /** At this moment at the latest. */
  at: Time.optional(),
  label: z.string(),
})
export type WhyWakes = z.infer<typeof WhyWakes>

export const WhyUnblock = z.strictObject({
  /** `human`, or the agent and the handle of a session. */
  who: z.string(),
  does: z.string(),
  /** What the person types; an agent needs none. */
  command: z.string().optional(),
})
export type WhyUnblock = z.infer<typeof WhyUnblock>

/** Why something does not go on, computed from rows; `text` says all of it. */
export const Why = z
  .strictObject({
    /** The id of what was asked about. */
    ref: z.string(),
    /** The noun's own word: a session's status, a task's, the state of a call or a mail, an inbox item's status. */
    state: z.string(),
    since: Time,
    waitsOn: z.array(WhyThing),
    wakes: WhyWakes,
    unblock: z.array(WhyUnblock),
    text: z.string().min(1),
  })
  .meta({ id: 'Why' })
export type Why = z.infer<typeof Why>
