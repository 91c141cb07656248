import { z } from 'zod'
import { ModelName } from './agents.ts'
import { Spent } from './cost.ts'
import { Seconds, SessionId, TaskId, Time } from './ids.ts'
import { Tokens } from './messages.ts'
import { Questions } from './sessions.ts'

export const TaskStatus = z.enum(['pending', 'processing', 'waiting', 'finished', 'failed', 'canceled'])
export type TaskStatus = z.infer<typeof TaskStatus>

/** What a sub-agent hands back: a short account, its last message, or all of it. */
export const ReturnMode = z.enum(['summary', 'lastMessage', 'raw'])
export type ReturnMode = z.infer<typeof ReturnMode>

/** Who gets a slot first; among equals the older one. */
export const TaskPriority = z.enum(['high', 'normal', 'low'])
export type TaskPriority = z.infer<typeof TaskPriority>

/** What is to be done, and what belongs to it. */
const TaskInput = z.strictObject({
  prompt: z.string().min(1).describe('The whole task: what to do and what to hand back'),
  files: z.array(z.string().min(1).max(1000)).max(100).optional().describe('Files that it is about'),
  context: z.string().min(1).optional().describe('What else has to be known'),
  skill: z.string().min(1).max(100).optional().describe('A skill by which it is done'),
})
export type TaskInput = z.infer<typeof TaskInput>

/** For all turns of the task together; what is left out is as the settings and the agent say. */
const TaskLimits = z.strictObject({
  maxIterations: z.int().positive().max(1_000_000).optional().describe('Model calls'),
  maxDurationSeconds: Seconds.optional().describe('Seconds of work, without waiting'),
  maxCostUsd: z.number().positive().max(1_000_000).optional().describe('US dollars, with the tasks that it gives'),
  maxWaitSeconds: Seconds.optional().describe('Seconds that it may wait for agents and timers at once'),
})
export type TaskLimits = z.infer<typeof TaskLimits>

export const TaskTag = z.string().regex(/^[\w.:-]{1,64}$/, 'a tag has up to 64 letters, digits and . : _ -')

const tags = z.array(TaskTag).max(20)

/** What an agent says of a task that it gives. */
export const TaskRequest = z.strictObject({
  agent: z.string().min(1).max(64).describe('Which agent does it'),
  input: TaskInput.describe('What is to be done, and what belongs to it'),
  priority: TaskPriority.optional().describe('Who begins first when many wait; normal unless told'),
  tags: tags.optional().describe('Words to find it by'),
  limits: TaskLimits.optional().describe('Where it ends at the latest; as the settings and the agent say unless told'),
})

export type TaskRequest = z.infer<typeof TaskRequest>

/** The same one again returns the first result. */
const clientId = z.string().min(1).max(200).optional()

export const CreateTask = z.strictObject({
  ...TaskRequest.shape,
  model: ModelName.optional(),
  workspace: z.string().optional(),
  /** The person is absent. Calls that would need their approval are decided by the setting `permissions.unattended`, or allowed. */
  unattended: z.enum(['settings', 'allow']).optional(),
  /** What becomes of its questions that nobody answers. */
  questions: Questions.optional(),
  clientId,
})
export type CreateTask = z.infer<typeof CreateTask>

export const RespondTask = z.strictObject({ message: z.string().min(1).max(100_000) })

export const RetryTask = z.strictObject({
  /** The history of its session is removed, and it begins from the input again. */
  clean: z.boolean().optional(),
  /** These count from now on; those that are left out stay. */
  limits: TaskLimits.optional(),
})
export type RetryTask = z.infer<typeof RetryTask>

export const Task = z
  .strictObject({
    id: TaskId,
    agent: z.string(),
    sessionId: SessionId,
    /** The handle of its session. */
    session: z.string(),
    project: z.string(),
    status: TaskStatus,
    priority: TaskPriority,
    /** Who gave it; the handle is that of the session whose call it was. */
    from: z.strictObject({
      kind: z.enum(['human', 'agent', 'trigger', 'system']),
      agent: z.string().optional(),
      handle: z.string().optional(),
    }),
    /** The task whose session gave it, and with which it ends. */
    parentTaskId: TaskId.optional(),
    tags: z.array(z.string()),
    /** Lists show the beginning of long texts only. */
    input: TaskInput,
    output: z.string().optional(),
    error: z.string().optional(),
    limits: TaskLimits,
    iterations: z.int(),
    /** How often it was begun: once, again after each crash that cut it short, and again by a person. */
    attempts: z.int(),
    tokens: Tokens,
    ...Spent.shape,
    createdAt: Time,
    startedAt: Time.optional(),
    finishedAt: Time.optional(),
    updatedAt: Time,
  })
  .meta({ id: 'Task' })
export type Task = z.infer<typeof Task>

/** A task and how far below the first one it stands. */
export const TaskBranch = z.strictObject({ ...Task.shape, depth: z.int() }).meta({ id: 'TaskBranch' })
export type TaskBranch = z.infer<typeof TaskBranch>
