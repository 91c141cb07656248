import { z } from 'zod'

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
  maxIterations: z.int().positive().optional().describe('Model calls'),
  maxDurationSeconds: z.int().positive().optional().describe('Seconds of work, without waiting'),
  maxCostUsd: z.number().positive().optional().describe('US dollars, with the tasks that it gives'),
  maxWaitSeconds: z.int().positive().optional().describe('Seconds that it may wait for agents and timers at once'),
})
export type TaskLimits = z.infer<typeof TaskLimits>

const TaskTag = z.string().regex(/^[\w.:-]{1,64}$/, 'a tag has up to 64 letters, digits and . : _ -')

const tags = z.array(TaskTag).max(20)

/** What an agent says of a task that it gives. */
export const TaskRequest = z.strictObject({
  agent: z.string().min(1).max(64).describe('Which agent does it'),
  input: TaskInput,
  priority: TaskPriority.optional().describe('Who begins first when many wait; normal unless told'),
  tags: tags.optional().describe('Words to find it by'),
  limits: TaskLimits.optional(),
})

export type TaskRequest = z.infer<typeof TaskRequest>
