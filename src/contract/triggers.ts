import { z } from 'zod'
import { eventTypes } from './events.ts'
import { NodeId, RunId, SessionId, Time, TriggerId } from './ids.ts'
import { SkillName } from './skills.ts'
import { TaskRequest } from './tasks.ts'

export const TriggerType = z.enum(['scheduled', 'delayed', 'at_time', 'heartbeat', 'on_event', 'on_idle'])
export type TriggerType = z.infer<typeof TriggerType>

/** paused: until somebody resumes it. fired: it had one occurrence. expired: it acted as often as it may. */
export const TriggerStatus = z.enum(['active', 'paused', 'expired', 'fired'])
export type TriggerStatus = z.infer<typeof TriggerStatus>

export const TriggerMaker = z.enum(['human', 'agent'])
export type TriggerMaker = z.infer<typeof TriggerMaker>

/** What becomes of occurrences that passed while nothing ran: the last is made up for, none, or all of them. */
export const CatchUp = z.enum(['one', 'none', 'all'])
export type CatchUp = z.infer<typeof CatchUp>

/** fired: in time. caught_up: late. coalesced: another one stands for it. missed: nothing was done. skipped: a reason was against it. */
export const FireOutcome = z.enum(['fired', 'caught_up', 'coalesced', 'missed', 'skipped'])
export type FireOutcome = z.infer<typeof FireOutcome>

/** Where the call of a webhook is: still to be made, answered, or given up. */
export const Delivery = z.enum(['pending', 'done', 'failed'])
export type Delivery = z.infer<typeof Delivery>

/** What must be new for a heartbeat to act: mail, an event, or a file of the workspace. */
export const HeartbeatGate = z.enum(['mail', 'event', 'files'])
export type HeartbeatGate = z.infer<typeof HeartbeatGate>

const TEN_YEARS = 10 * 366 * 86_400
const seconds = z.number().positive().max(TEN_YEARS)

const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'is not a time zone such as "Europe/Berlin"; leave it out for UTC')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const onlyIf = z.array(HeartbeatGate).max(HeartbeatGate.options.length)

const whens = [
  z.strictObject({
    type: z.literal('scheduled'),
    config: z.strictObject({
      cron: z.string().min(1).max(200).describe('Five or six fields, names allowed: "0 9 * * MON-FRI"'),
      timeZone: TimeZone.optional(),
    }),
  }),
  z.strictObject({ type: z.literal('delayed'), config: z.strictObject({ delaySeconds: seconds }) }),
  z.strictObject({
    type: z.literal('at_time'),
    config: z.strictObject({
      at: z.iso.datetime({ offset: true, error: 'must be a time with its zone, such as "2026-12-24T18:00:00+01:00"' }),
    }),
  }),
  z.strictObject({
    type: z.literal('heartbeat'),
    config: z.strictObject({
      intervalSeconds: z.int().min(1).max(TEN_YEARS),
      onlyIf: onlyIf.optional().describe('Acts only when one of these is new; [] = always (mail, event, files)'),
    }),
  }),
  z.strictObject({
    type: z.literal('on_event'),
    config: z.strictObject({
      pattern: z
        .string()
        .min(1)
        .max(100)
        .refine(
          (pattern) => typesLike(pattern).length > 0,
          'matches no type of event; "task.*" or "task.finished" would',
        )
        .describe('A type of event, or several with *: task.finished, task.*'),
      filter: z.record(z.string(), z.unknown()).optional().describe('What the data of the event must have'),
    }),
  }),
  z.strictObject({
    type: z.literal('on_idle'),
    config: z.strictObject({ idleSeconds: z.int().min(1).max(TEN_YEARS), agent: z.string().min(1).max(64) }),
  }),
] as const

/** When a trigger fires. */
export const When = z.discriminatedUnion('type', whens)
export type When = z.infer<typeof When>

/** The types of events that a pattern means. Triggers never hear of triggers. */
export const typesLike = (pattern: string): string[] => {
  const known = eventTypes.filter((type) => !type.startsWith('trigger.'))
  // Stars in a row would take for ever.
  const like = new RegExp(`^${pattern.replaceAll(/[^*\w]/g, '\\$&').replaceAll(/\*+/g, '.*')}$`)
  return known.filter((type) => like.test(type))
}

const words = z
  .string()
  .min(1)
  .max(64 * 1024)

const given = [
  z.strictObject({
    type: z.literal('send'),
    to: z.string().min(1).max(200).optional().describe('An address; an agent may leave it out to mean itself'),
    session: z.string().max(64).optional(),
    message: words,
    followup: z.boolean().optional(),
    /** For a person only: what needs approval is decided by the setting, or allowed. */
    unattended: z.enum(['settings', 'allow']).optional(),
  }),
  z.strictObject({ type: z.literal('create_task'), ...TaskRequest.shape }),
  z.strictObject({
    type: z.literal('webhook'),
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2000),
    /** For a person only: the address may be one of their own network. */
    private: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('run_skill'),
    ...TaskRequest.omit({ input: true }).shape,
    skill: SkillName.describe('A skill that the agent has'),
    arguments: z.string().min(1).max(20_000).optional().describe('What follows its name'),
  }),
  z.strictObject({
    type: z.literal('run_node'),
    run: RunId.describe('A run that is open'),
    task: words.describe('What to produce; the first line is its title'),
    dependsOn: z.array(NodeId).max(100).optional(),
    worker: z.string().min(1).max(32).optional(),
  }),
] as const

/** What whoever makes a trigger may ask for. */
export const GivenAction = z.discriminatedUnion('type', given)
export type GivenAction = z.infer<typeof GivenAction>

/** One tick of a daemon: a fresh session that reads a heartbeat file. */
const Tick = z.strictObject({ type: z.literal('tick'), agent: z.string(), heartbeat: z.string() })

export const TriggerAction = z.discriminatedUnion('type', [...given, Tick])
export type TriggerAction = z.infer<typeof TriggerAction>
export type ActionType = TriggerAction['type']
export type ActionOf<T extends ActionType> = Extract<TriggerAction, { type: T }>

const options = {
  name: z.string().min(1).max(100).optional(),
  catchUp: CatchUp.optional().describe('one (default), none or all of what was missed'),
  maxFires: z.int().min(1).max(1_000_000).optional().describe('It expires after it has acted so often'),
}

const more = { ...options, action: GivenAction, clientId: z.string().min(1).max(200).optional() }

export const CreateTrigger = z.discriminatedUnion('type', [
  z.strictObject({ ...whens[0].shape, ...more }),
  z.strictObject({ ...whens[1].shape, ...more }),
  z.strictObject({ ...whens[2].shape, ...more }),
  z.strictObject({ ...whens[3].shape, ...more }),
  z.strictObject({ ...whens[4].shape, ...more }),
  z.strictObject({ ...whens[5].shape, ...more }),
])
export type CreateTrigger = z.infer<typeof CreateTrigger>

/** `when` moves it; status pauses or resumes it. */
export const ChangeTrigger = z.strictObject({
  ...options,
  maxFires: options.maxFires.nullable(),
  when: When.optional(),
  action: GivenAction.optional(),
  status: z.enum(['active', 'paused']).optional(),
})
export type ChangeTrigger = z.infer<typeof ChangeTrigger>

export const Trigger = z
  .strictObject({
    id: TriggerId,
    project: z.string(),
    name: z.string(),
    type: TriggerType,
    config: z.record(z.string(), z.unknown()),
    action: z.record(z.string(), z.unknown()),
    status: TriggerStatus,
    reason: z.string().optional(),
    catchUp: CatchUp,
    maxFires: z.int().optional(),
    /** How often it acted. */
    fires: z.int(),
    madeBy: TriggerMaker,
    ownerSessionId: SessionId.optional(),
    /** The agent and the heartbeat, where it is a daemon's. */
    daemon: z.string().optional(),
    nextAt: Time.optional(),
    lastAt: Time.optional(),
    lastOutcome: z.string().optional(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Trigger' })
export type Trigger = z.infer<typeof Trigger>

/** The outcome of one occurrence, or of several in a row on which nobody acted. */
export const TriggerFire = z
  .strictObject({
    id: z.string(),
    triggerId: TriggerId,
    dueAt: Time,
    /** The first of several. */
    since: Time.optional(),
    /** How many occurrences this is the outcome of; where there were more than 10,000, so many at least. */
    covers: z.int(),
    at: Time,
    outcome: FireOutcome,
    reason: z.string().optional(),
    eventSeq: z.string().optional(),
    sessionId: SessionId.optional(),
    /** What it did: the mail, the task, the answer of a webhook. */
    result: z.record(z.string(), z.unknown()).optional(),
    delivery: Delivery.optional(),
    attempts: z.int().optional(),
  })
  .meta({ id: 'TriggerFire' })
export type TriggerFire = z.infer<typeof TriggerFire>

export const StartDaemon = z.strictObject({
  heartbeat: z.string().min(1).max(64).optional().describe('Which of its heartbeat files, without .md'),
  intervalSeconds: z.int().min(1).max(TEN_YEARS).optional(),
  cron: z.string().min(1).max(200).optional(),
  timeZone: TimeZone.optional(),
  onlyIf: onlyIf.optional(),
  catchUp: CatchUp.optional(),
})
export type StartDaemon = z.infer<typeof StartDaemon>

export const StopDaemon = z.strictObject({ heartbeat: z.string().min(1).max(64).optional() })

/** An agent that works by itself, tick by tick. */
export const Daemon = z
  .strictObject({
    agent: z.string(),
    heartbeat: z.string(),
    trigger: Trigger,
    /** The tick that runs now. */
    running: z.strictObject({ sessionId: SessionId, session: z.string() }).optional(),
  })
  .meta({ id: 'Daemon' })
export type Daemon = z.infer<typeof Daemon>

/** The whole answer of a tick that found nothing to do. */
export const HEARTBEAT_OK = 'HEARTBEAT_OK'

const quiet = new RegExp(`^\\W*${HEARTBEAT_OK}\\W*$`)

export const isQuiet = (words: string): boolean => quiet.test(words)
