import { z } from 'zod'
import { ModelName } from './agents.ts'
import { NodeId, RunId, Seconds, SessionId, StageId, TaskId, Time } from './ids.ts'

export const RunStatus = z.enum(['working', 'finished', 'stopped'])
export type RunStatus = z.infer<typeof RunStatus>

export const NodeStatus = z.enum(['pending', 'processing', 'waiting', 'finished', 'failed', 'canceled', 'blocked'])
export type NodeStatus = z.infer<typeof NodeStatus>

const WorkerStatus = z.enum(['idle', 'busy', 'waiting', 'retired'])
export type WorkerStatus = z.infer<typeof WorkerStatus>

export const StageStatus = z.enum(['running', 'reconvening', 'completed'])
export type StageStatus = z.infer<typeof StageStatus>

/** When the nodes of a stage have come far enough: all have ended, most have a result, one has. */
export const CheckpointPolicy = z.enum(['all', 'majority', 'any'])
export type CheckpointPolicy = z.infer<typeof CheckpointPolicy>

export const StageContract = z.strictObject({
  timeoutSeconds: Seconds.default(3600).describe('When it ends at the latest (3600)'),
  checkpointPolicy: CheckpointPolicy.default('all').describe('all (default), majority or any'),
})
export type StageContract = z.infer<typeof StageContract>

/** How far a run may grow. */
export const RunLimits = z.strictObject({
  maxNodes: z.int().positive().max(1000).optional().describe('Nodes in all (100)'),
  maxDepth: z.int().positive().max(20).optional().describe('Nodes made by workers of nodes made by … (4)'),
})
export type RunLimits = z.infer<typeof RunLimits>

export const CreateRun = z.strictObject({
  goal: z.string().trim().min(1).max(100_000),
  /** Who coordinates. */
  agent: z.string().min(1).max(64).default('coordinator'),
  model: ModelName.optional(),
  limits: RunLimits.optional(),
  /** The same one again returns the first run. */
  clientId: z.string().min(1).max(200).optional(),
})
export type CreateRun = z.infer<typeof CreateRun>

export const Run = z
  .strictObject({
    id: RunId,
    project: z.string(),
    goal: z.string(),
    /** The first words of the goal. */
    title: z.string(),
    agent: z.string(),
    /** The coordinator, and its handle. */
    sessionId: SessionId,
    session: z.string(),
    status: RunStatus,
    /** Why it is over, in one sentence. */
    reason: z.string().optional(),
    /** What the coordinator said at the end. */
    summary: z.string().optional(),
    limits: RunLimits,
    /** How many nodes there are, by status. */
    nodes: z.partialRecord(NodeStatus, z.int()),
    workers: z.int(),
    /** Of the coordinator since the run began, and of all workers, as far as prices are known. */
    costUsd: z.number(),
    createdAt: Time,
    updatedAt: Time,
    endedAt: Time.optional(),
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
    /** The task as which it is worked on, or was last. */
    taskId: TaskId.optional(),
    summary: z.string().optional(),
    /** Why it failed, was canceled, is blocked, waits or is partial. */
    reason: z.string().optional(),
    /** What it hands over is not all that was wanted. */
    partial: z.literal(true).optional(),
    /** What it hands over, in the folder `nodes/<id>/published` of the run. */
    published: z.array(PublishedFile).optional(),
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
    agent: z.string(),
    model: z.string().optional(),
    status: WorkerStatus,
    /** Made with its first node. */
    sessionId: SessionId.optional(),
    nodeId: NodeId.optional(),
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
  .strictObject({ path: z.string(), size: z.int(), text: z.string() })
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
