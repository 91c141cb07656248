import { z } from 'zod'
import { ModelName } from './agents.ts'
import { InboxId, NodeId, RunId, Seconds, SessionId, StageId, TaskId, Time } from './ids.ts'
import { Questions, Unattended } from './sessions.ts'

export const RunStatus = z.enum(['working', 'waiting', 'paused', 'finished', 'failed', 'stopped'])
export type RunStatus = z.infer<typeof RunStatus>

export const NodeStatus = z.enum(['pending', 'processing', 'waiting', 'finished', 'failed', 'canceled', 'blocked'])
export type NodeStatus = z.infer<typeof NodeStatus>

/** What works: our loop with a model, or a program with a loop of its own. */
export const WorkerKind = z.enum(['harnessed', 'autonomous'])
export type WorkerKind = z.infer<typeof WorkerKind>

export const WorkerStatus = z.enum(['idle', 'busy', 'waiting', 'retired'])
export type WorkerStatus = z.infer<typeof WorkerStatus>

/** Planning until the first of its nodes has begun. */
export const StageStatus = z.enum(['planning', 'running', 'reconvening', 'completed'])
export type StageStatus = z.infer<typeof StageStatus>

/** When the nodes of a stage have come far enough: all have ended, most have a result, one has. */
export const CheckpointPolicy = z.enum(['all', 'majority', 'any'])
export type CheckpointPolicy = z.infer<typeof CheckpointPolicy>

export const StageContract = z.strictObject({
  timeoutSeconds: Seconds.default(3600).describe('When it ends at the latest (3600)'),
  checkpointPolicy: CheckpointPolicy.default('all'),
  maxIterationsPerNode: z
    .int()
    .positive()
    .max(1000)
    .optional()
    .describe("Model calls per node; else its agent's limit"),
})
export type StageContract = z.infer<typeof StageContract>

/** How far a run may go by itself. At a limit it pauses, and the person is asked. */
export const RunLimits = z.strictObject({
  maxNodes: z.int().positive().max(10_000).optional().describe('Nodes in all (100)'),
  maxDepth: z.int().positive().max(20).optional().describe('Nodes made by workers of nodes made by … (4)'),
  maxMessages: z.int().positive().max(1_000_000).optional().describe('Messages between its members (1000)'),
  maxDurationSeconds: Seconds.optional().describe('From its start, pauses included'),
  maxCostUsd: z.number().positive().max(1_000_000).optional().describe('Of the coordinator and all workers'),
})
export type RunLimits = z.infer<typeof RunLimits>

/** A limit about which the run itself asks; the one in money is a budget. */
export const RunLimit = z.enum(['maxNodes', 'maxDepth', 'maxMessages', 'maxDurationSeconds'])
export type RunLimit = z.infer<typeof RunLimit>

export const RUN_DEFAULTS = { maxNodes: 100, maxDepth: 4, maxMessages: 1000 } as const

/** An infinite run begins anew, in cycles, until somebody ends it. */
export const RunMode = z.enum(['finite', 'infinite'])
export type RunMode = z.infer<typeof RunMode>

export const CreateRun = z.strictObject({
  goal: z.string().trim().min(1).max(100_000),
  /** Who coordinates. */
  agent: z.string().min(1).max(64).optional().describe('coordinator, or the agent of the session'),
  model: ModelName.optional(),
  /** A conversation with that agent in which the run is to be; without it a new one is begun. */
  session: z.string().min(1).max(64).optional(),
  mode: RunMode.default('finite'),
  cycleSeconds: Seconds.optional().describe('Of an infinite run: how long after one cycle the next begins (3600)'),
  /** A folder of the project to work in. */
  workspace: z.string().optional(),
  tools: z
    .array(z.string().min(1).max(100))
    .max(100)
    .optional()
    .describe('Globs: besides those of a run, its members have only these of their tools'),
  /** What becomes of calls that need approval, and of limits, when nobody attends to the run; `settings`: what `permissions.unattended` says. */
  unattended: z.enum([...Unattended.options, 'settings']).optional(),
  /** What becomes of questions that nobody answers, of all who work for the run. */
  questions: Questions.optional(),
  limits: RunLimits.optional(),
  /** The same one again returns the first run. */
  clientId: z.string().min(1).max(200).optional(),
})
export type CreateRun = z.infer<typeof CreateRun>

/** What a person writes in a run. */
export const WriteToRun = z.strictObject({
  to: z.string().min(1).max(200).default('coordinator').describe('coordinator (default), a worker, or * for everyone'),
  content: z.string().min(1),
  followup: z.boolean().optional().describe('To be read when they have finished their current work'),
  interrupt: z.boolean().optional().describe('They stop and read this first; not for everyone at once'),
  /** The same one again returns the first result. */
  clientId: z.string().min(1).max(200).optional(),
})
export type WriteToRun = z.infer<typeof WriteToRun>

export const Run = z
  .strictObject({
    id: RunId,
    project: z.string(),
    goal: z.string(),
    /** The first words of the goal, until the small model wrote one. */
    title: z.string(),
    agent: z.string(),
    /** The one that was chosen for the coordinator, where one was. */
    model: z.string().optional(),
    /** The coordinator, and its handle. */
    sessionId: SessionId,
    session: z.string(),
    status: RunStatus,
    /** Why it is over, paused, or waits, in one sentence. */
    reason: z.string().optional(),
    /** What the coordinator said at the end. */
    summary: z.string().optional(),
    mode: RunMode,
    /** Of an infinite run: which cycle it is in or waits for, and when the next one begins. */
    cycle: z.int().optional(),
    /** Since when it is in this cycle or was in the last; missing in its first. */
    cycleStartedAt: Time.optional(),
    nextCycleAt: Time.optional(),
    limits: RunLimits,
    /** The stage that is not completed yet. */
    stageId: StageId.optional(),
    /** The question whether the limit is raised at which it paused. */
    inboxId: InboxId.optional(),
    /** How many nodes there are, by status. */
    nodes: z.partialRecord(NodeStatus, z.int()),
    /** How many workers there are, by status. */
    workers: z.partialRecord(WorkerStatus, z.int()),
    /** Of the coordinator since the run began, and of all workers, as far as prices are known. */
    costUsd: z.number(),
    /** The part of it that the coordinator spent itself. */
    coordinatorCostUsd: z.number(),
    /** Tokens whose price nobody knows. Above 0 the costs are "at least", never the whole. */
    unpricedTokens: z.int(),
    createdAt: Time,
    updatedAt: Time,
    endedAt: Time.optional(),
    archivedAt: Time.optional(),
  })
  .meta({ id: 'Run' })
export type Run = z.infer<typeof Run>

/** A file that a node hands over; nobody changes it any more. */
export const PublishedFile = z.strictObject({
  /** Below the node's `published/`. */
  path: z.string(),
  /** In bytes. */
  size: z.int(),
  sha256: z.string(),
})
export type PublishedFile = z.infer<typeof PublishedFile>

export const Node = z
  .strictObject({
    id: NodeId,
    /** The first line of the spec. */
    title: z.string(),
    /** Boards show the beginning only. */
    spec: z.string(),
    status: NodeStatus,
    dependsOn: z.array(NodeId),
    /** Published files of other nodes that it builds on, by the names that its worker knows them by. */
    refs: z.record(z.string(), z.string()).optional(),
    /** One answer of the model, without tools, is its result. */
    single: z.literal(true).optional(),
    parentNodeId: NodeId.optional(),
    stageId: StageId.optional(),
    worker: z.string().optional(),
    /** When it was given to its worker, who begins as soon as it can. */
    assignedAt: Time.optional(),
    /** The task as which it is worked on, or was last. */
    taskId: TaskId.optional(),
    summary: z.string().optional(),
    /** Why it failed, was canceled, is blocked, waits or is partial. */
    reason: z.string().optional(),
    /** What it hands over is not all that was wanted. */
    partial: z.literal(true).optional(),
    /** What it hands over, in the folder `nodes/<id>/published` of the run. */
    published: z.array(PublishedFile).optional(),
    /** What its workers spent on it, and helpers for them, as far as prices are known. */
    costUsd: z.number(),
    createdAt: Time,
    startedAt: Time.optional(),
    finishedAt: Time.optional(),
    updatedAt: Time,
  })
  .meta({ id: 'Node' })
export type Node = z.infer<typeof Node>

export const Worker = z
  .strictObject({
    name: z.string(),
    kind: WorkerKind,
    agent: z.string(),
    model: z.string().optional(),
    status: WorkerStatus,
    /** Made with its first node. */
    sessionId: SessionId.optional(),
    nodeId: NodeId.optional(),
    /** What it spent itself in the run, as far as prices are known. */
    costUsd: z.number(),
    createdAt: Time,
  })
  .meta({ id: 'Worker' })
export type Worker = z.infer<typeof Worker>

/** Nodes whose results the coordinator wants together. */
export const Stage = z
  .strictObject({
    id: StageId,
    name: z.string(),
    status: StageStatus,
    checkpointPolicy: CheckpointPolicy,
    maxIterationsPerNode: z.int().optional(),
    assessment: z.string().optional(),
    startedAt: Time,
    endedAt: Time.optional(),
  })
  .meta({ id: 'Stage' })
export type Stage = z.infer<typeof Stage>

const Edge = z.strictObject({ from: NodeId, to: NodeId, kind: z.enum(['depends', 'parent', 'ref']) })

/** A file in the folder of a run, by its path there. */
export const RunFile = z.strictObject({ path: z.string(), size: z.int() }).meta({ id: 'RunFile' })
export type RunFile = z.infer<typeof RunFile>

export const RunFileText = z
  .strictObject({
    path: z.string(),
    size: z.int(),
    /** Empty where the file is an image. */
    text: z.string(),
    /** In base64. */
    image: z.strictObject({ mediaType: z.string(), data: z.string() }).optional(),
  })
  .meta({ id: 'RunFileText' })
export type RunFileText = z.infer<typeof RunFileText>

export const Board = z
  .strictObject({
    run: Run,
    stages: z.array(Stage),
    nodes: z.array(Node),
    workers: z.array(Worker),
    edges: z.array(Edge),
  })
  .meta({ id: 'Board' })
export type Board = z.infer<typeof Board>

/** What a person changes of a node that has not begun. */
export const ChangeNode = z
  .strictObject({
    spec: z.string().trim().min(1).max(100_000).optional(),
    /** Who is to do it; null for whoever is idle. */
    worker: z.string().min(1).max(32).nullable().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'give "spec" or "worker"')
export type ChangeNode = z.infer<typeof ChangeNode>

/** A node that is not there yet; others of the same question depend on it by its name. */
export const ProposedNode = z.strictObject({
  name: z.string().trim().min(1).max(100).describe('By which others of the list depend on it'),
  dependsOn: z.array(z.string().max(100)).max(100).default([]).describe('Names from this list, or ids of nodes'),
})
export type ProposedNode = z.infer<typeof ProposedNode>

export const ProposedNodes = z.array(ProposedNode).min(1).max(1000)

/** What would come of proposed nodes, if all went well and there were workers enough. Nothing is made. */
export const DryRun = z
  .strictObject({
    possible: z.boolean(),
    /** What could run side by side, one group after the other: proposed nodes and those of the board that are open. */
    waves: z.array(z.array(z.string())),
    /** A way that leads back to its beginning. */
    cycle: z.array(z.string()).optional(),
    /** What is depended on and is not there, or has ended without a result. */
    missing: z.array(z.strictObject({ node: z.string(), dependsOn: z.string(), reason: z.string() })).optional(),
  })
  .meta({ id: 'DryRun' })
export type DryRun = z.infer<typeof DryRun>
