import { z } from 'zod'
import { WaitKind } from './calls.ts'
import { Spent } from './cost.ts'
import { HookEvent, HookVerdict } from './hooks.ts'
import { CallId, InboxId, MailId, MessageId, NodeId, RunId, SessionId, StageId, TaskId, Time, TurnId } from './ids.ts'
import { MailState, Outcome } from './mail.ts'
import { WriteMode, WrittenScope } from './memory.ts'
import { Role, Tokens } from './messages.ts'
import { personEvents } from './person-events.ts'
import { CheckpointPolicy, PublishedFile, RunStatus, WorkerKind, WorkerStatus } from './runs.ts'
import { SessionStatus, Stopper, TurnEnd } from './sessions.ts'
import { triggerEvents } from './trigger-events.ts'

/** Everything that is ever written to the record: noun.past-verb. What is not here is not stored. */
export const events = {
  /** A session was made. */
  'session.created': z.strictObject({ agent: z.string(), mode: z.string(), title: z.string(), handle: z.string() }),
  /** Something besides the session's status changed; `changed` has the fields as they are now. */
  'session.updated': z.strictObject({ changed: z.record(z.string(), z.unknown()) }),
  /** The session moved from one status to another. */
  'session.status': z.strictObject({ from: SessionStatus, to: SessionStatus, reason: z.string().optional() }),
  /** The session's history was cleared; identity and unread mail stay. */
  'session.cleared': z.strictObject({ messages: z.int() }),
  /** A person wants the history to be compacted at the next safe point, with this kept above all. */
  'compaction.asked': z.strictObject({ focus: z.string() }),
  /** The history is made shorter for the model, because a person asked, the window is full, or the vendor refused the prompt. */
  'compaction.started': z.strictObject({
    number: z.int(),
    turnId: TurnId,
    why: z.enum(['asked', 'window', 'refused']),
    tokens: z.int(),
  }),
  /** The history is as it was. */
  'compaction.failed': z.strictObject({ turnId: TurnId, reason: z.string() }),
  /** From now on the model reads the log from `fromSeq`, behind a summary of so many messages; long results before `cutBefore` are cut. */
  'session.compacted': z.strictObject({
    number: z.int(),
    turnId: TurnId,
    fromSeq: z.int(),
    cutBefore: z.int(),
    summedUp: z.int(),
    tokensBefore: z.int(),
    tokensAfter: z.int(),
  }),
  /** The person is led on to another session. */
  'session.switched': z.strictObject({
    to: SessionId,
    agent: z.string(),
    handle: z.string(),
    mailId: MailId.optional(),
    clientId: z.string().optional(),
  }),
  /** The session's total, and that of the named turn, grew by what children spent. */
  'session.charged': z.strictObject({ costUsd: z.number(), unpricedTokens: z.int(), turnId: TurnId.optional() }),
  'session.closed': z.strictObject({ by: Stopper }),
  'session.deleted': z.strictObject({ by: Stopper }),
  /** A message entered the log; its body is fetched apart. */
  'message.appended': z.strictObject({
    messageId: MessageId,
    seq: z.int(),
    role: Role,
    turnId: TurnId.optional(),
    snippet: z.string(),
    tokens: Tokens.optional(),
    costUsd: z.number().optional(),
  }),
  /** A person edited or deleted a message; a tombstone stays. */
  'message.changed': z.strictObject({ messageId: MessageId, seq: z.int(), change: z.enum(['edited', 'deleted']) }),
  /** The mail was accepted into a mailbox. The model has not seen it yet. */
  'mail.accepted': z.strictObject({ mailId: MailId, outcome: Outcome, from: z.string() }),
  /** The mail entered history. */
  'mail.taken': z.strictObject({ mailId: MailId, turnId: TurnId }),
  /** The mail answered an open question. */
  'mail.answered': z.strictObject({ mailId: MailId, callId: CallId.optional() }),
  'mail.expired': z.strictObject({ mailId: MailId }),
  'mail.undeliverable': z.strictObject({ mailId: MailId, reason: z.string(), state: MailState }),
  'turn.started': z.strictObject({ turnId: TurnId, attempt: z.int() }),
  'turn.ended': z.strictObject({
    turnId: TurnId,
    end: TurnEnd,
    reason: z.string(),
    iterations: z.int(),
    durationMs: z.number(),
    tokens: Tokens,
    ...Spent.shape,
  }),
  /** A request is about to be sent to a model. */
  'model.called': z.strictObject({ turnId: TurnId, model: z.string(), iteration: z.int() }),
  'model.retried': z.strictObject({ model: z.string(), attempt: z.int(), waitMs: z.number(), reason: z.string() }),
  /** The request waits in the queue of its account: since when nothing is sent, when it is tried next, and why. */
  'model.queued': z.strictObject({ model: z.string(), reason: z.string(), since: Time, until: Time }),
  'model.switched': z.strictObject({ from: z.string(), to: z.string(), reason: z.string() }),
  /** What a request used although it left no message: it failed, was stopped, worked on a compaction or wrote a title. Without `costUsd` its price is unknown. */
  'model.settled': z.strictObject({
    turnId: TurnId,
    model: z.string(),
    outcome: z.enum(['failed', 'aborted', 'compaction', 'title']),
    tokens: Tokens,
    costUsd: z.number().optional(),
  }),
  /** Money was put aside for the next request of a turn, in each of these budgets. */
  'budget.reserved': z.strictObject({ turnId: TurnId, budgets: z.array(z.string()), usd: z.number() }),
  /** A request would not fit into this budget even alone; a person is asked, or has said that it ends there. */
  'budget.exceeded': z.strictObject({
    turnId: TurnId,
    budget: z.string(),
    limitUsd: z.number(),
    spentUsd: z.number(),
    needsUsd: z.number(),
    inboxId: InboxId.optional(),
  }),
  'tool.started': z.strictObject({ callId: CallId, name: z.string(), preview: z.string() }),
  'tool.ended': z.strictObject({
    callId: CallId,
    name: z.string(),
    durationMs: z.number(),
    ok: z.boolean(),
    preview: z.string(),
  }),
  /** A search loaded these tools: their schemas are in the session's requests from now on. */
  'tool.loaded': z.strictObject({ names: z.array(z.string()) }),
  /** Scope, a rule or a person refused the call. */
  'tool.denied': z.strictObject({ callId: CallId, name: z.string(), reason: z.string() }),
  /** A hook has run, and this is what it came to. */
  'hook.ended': z.strictObject({
    event: HookEvent,
    hook: z.string(),
    verdict: HookVerdict,
    durationMs: z.number(),
    callId: CallId.optional(),
    turnId: TurnId.optional(),
    preview: z.string().optional(),
  }),
  /** The call waits: for the person (`inboxId`), or for these sessions, which work on it. */
  'call.parked': z.strictObject({
    callId: CallId,
    name: z.string(),
    kind: WaitKind,
    inboxId: InboxId.optional(),
    sessions: z.array(SessionId).optional(),
  }),
  'call.resumed': z.strictObject({ callId: CallId, name: z.string(), how: z.string() }),
  'task.created': z.strictObject({ taskId: TaskId, agent: z.string(), parentSessionId: SessionId.optional() }),
  'task.started': z.strictObject({ taskId: TaskId }),
  'task.waiting': z.strictObject({ taskId: TaskId, reason: z.string() }),
  /** An agent noted how far it is. */
  'task.progress': z.strictObject({ taskId: TaskId, message: z.string() }),
  /** A person has it tried again: from where it stopped, or from the beginning. */
  'task.retried': z.strictObject({ taskId: TaskId, attempt: z.int(), clean: z.boolean() }),
  'task.finished': z.strictObject({ taskId: TaskId, ...Spent.shape }),
  'task.failed': z.strictObject({ taskId: TaskId, reason: z.string(), ...Spent.shape }),
  'task.canceled': z.strictObject({ taskId: TaskId, reason: z.string(), ...Spent.shape }),
  'run.created': z.strictObject({ runId: RunId, title: z.string(), agent: z.string() }),
  /** The small model wrote a title for it. */
  'run.titled': z.strictObject({ runId: RunId, title: z.string() }),
  'run.status': z.strictObject({
    runId: RunId,
    from: RunStatus,
    to: RunStatus,
    reason: z.string().optional(),
    summary: z.string().optional(),
  }),
  /** A piece of work came onto the board. */
  'node.created': z.strictObject({
    nodeId: NodeId,
    title: z.string(),
    /** Its beginning, as boards show it. */
    spec: z.string(),
    dependsOn: z.array(NodeId),
    refs: z.record(z.string(), z.string()).optional(),
    single: z.literal(true).optional(),
    parentNodeId: NodeId.optional(),
    stageId: StageId.optional(),
    worker: z.string().optional(),
  }),
  /** Before it began, it got another spec or another worker; null for whoever is idle. */
  'node.changed': z.strictObject({
    nodeId: NodeId,
    title: z.string().optional(),
    spec: z.string().optional(),
    worker: z.string().nullable().optional(),
  }),
  /** All that it depends on has finished, and this worker is to do it. */
  'node.assigned': z.strictObject({ nodeId: NodeId, worker: z.string() }),
  'node.started': z.strictObject({ nodeId: NodeId }),
  'node.waiting': z.strictObject({ nodeId: NodeId, reason: z.string() }),
  'node.finished': z.strictObject({ nodeId: NodeId, summary: z.string().optional() }),
  /** Nothing of what the node hands over changes any more; `partial` says why it is not all that was wanted. */
  'node.publishing': z.strictObject({
    nodeId: NodeId,
    summary: z.string().optional(),
    partial: z.string().optional(),
  }),
  /** What the node hands over lies sealed in its folder; it is finished with its worker's turn. */
  'node.published': z.strictObject({
    nodeId: NodeId,
    files: z.int(),
    bytes: z.int(),
    /** The first of them, as boards show them. */
    published: z.array(PublishedFile),
    partial: z.literal(true).optional(),
  }),
  'node.failed': z.strictObject({ nodeId: NodeId, reason: z.string(), summary: z.string().optional() }),
  'node.canceled': z.strictObject({ nodeId: NodeId, reason: z.string(), summary: z.string().optional() }),
  /** Something that it depends on ended without a result. */
  'node.blocked': z.strictObject({ nodeId: NodeId, reason: z.string() }),
  /** It waits for what it depends on, or for a worker, once more. */
  'node.reopened': z.strictObject({ nodeId: NodeId }),
  /** It failed or was canceled, and is to be done once more, as a task of its own. */
  'node.retried': z.strictObject({ nodeId: NodeId, reason: z.string() }),
  /** A worker proposes what could be done next; the coordinator reads it with the next news. */
  'node.suggested': z.strictObject({ nodeId: NodeId, worker: z.string(), suggestion: z.string() }),
  /** A worker recorded how far its node is; for the stage this counts as much as its end. */
  'node.checkpointed': z.strictObject({ nodeId: NodeId, summary: z.string() }),
  'stage.started': z.strictObject({
    stageId: StageId,
    name: z.string(),
    nodes: z.array(NodeId),
    checkpointPolicy: CheckpointPolicy,
    maxIterationsPerNode: z.int().optional(),
  }),
  /** The nodes have come as far as its policy asks, or its time is up: the coordinator is told of all of them. */
  'stage.reconvened': z.strictObject({ stageId: StageId, why: z.enum(['policy', 'time']) }),
  'stage.completed': z.strictObject({ stageId: StageId, assessment: z.string().optional() }),
  'worker.spawned': z.strictObject({
    name: z.string(),
    /** Harnessed where it is missing. */
    kind: WorkerKind.optional(),
    agent: z.string(),
    model: z.string().optional(),
    sessionId: SessionId.optional(),
  }),
  /** It was given a node, waits with it, or has ended it. */
  'worker.status': z.strictObject({ name: z.string(), from: WorkerStatus, to: WorkerStatus, nodeId: NodeId }),
  'worker.retired': z.strictObject({ name: z.string(), reason: z.string() }),
  ...personEvents,
  ...triggerEvents,
  'todo.changed': z.strictObject({ open: z.int(), total: z.int() }),
  /** A memory file changed: by the session of the event, or by a person. */
  'memory.written': z.strictObject({
    scope: WrittenScope,
    agent: z.string().optional(),
    path: z.string(),
    mode: z.enum([...WriteMode.options, 'delete']),
    bytes: z.int(),
    by: z.enum(['agent', 'human']),
    callId: CallId.optional(),
  }),
  /** What an MCP server offers has changed: tools that are new or other are asked for, whatever rules allow. */
  'mcp.changed': z.strictObject({
    server: z.string(),
    added: z.array(z.string()),
    changed: z.array(z.string()),
    removed: z.array(z.string()),
  }),
  /** A note an agent or the runtime left for people. */
  log: z.strictObject({
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
} as const

export type EventType = keyof typeof events
export type EventData<T extends EventType> = z.infer<(typeof events)[T]>

export const eventTypes = Object.keys(events) as EventType[]

/** An event as the API gives it. `seq` is opaque: hand it back as given. */
export const Event = z
  .strictObject({
    seq: z.string(),
    at: z.iso.datetime(),
    type: z.enum(eventTypes),
    project: z.string(),
    sessionId: z.string().optional(),
    /** The task that the session works on, or that the event itself is about. */
    taskId: z.string().optional(),
    runId: z.string().optional(),
    nodeId: z.string().optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })
export type Event = z.infer<typeof Event>

/** A delta is never stored and never advances the cursor. `offset` counts the characters that were written before it. */
export const Delta = z.strictObject({
  project: z.string(),
  sessionId: z.string(),
  taskId: z.string().optional(),
  turnId: z.string(),
  /** Which model call of the turn, or which tool call, this text belongs to. */
  attempt: z.string(),
  /** The place in the log that the message will have; what a tool prints has none. */
  seq: z.int().optional(),
  kind: z.enum(['text', 'reasoning', 'output']),
  offset: z.int(),
  text: z.string(),
})
export type Delta = z.infer<typeof Delta>
