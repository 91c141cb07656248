import { z } from 'zod'
import { AgentName } from './agents.ts'
import { Time } from './ids.ts'

/** Whose memory it is: the person's over all projects, the project's, or one agent's in the project. */
export const MemoryScope = z.enum(['user', 'project', 'agent'])
export type MemoryScope = z.infer<typeof MemoryScope>

/** Where something was written: also what a worker of a run keeps for itself, in the run's folder. */
export const WrittenScope = z.enum([...MemoryScope.options, 'worker'])
export type WrittenScope = z.infer<typeof WrittenScope>

export const WriteMode = z.enum(['append', 'replace'])
export type WriteMode = z.infer<typeof WriteMode>

/** What one write may hold, in characters. */
export const WRITE_CHARS = 64 * 1024
export const QUERY_CHARS = 1000
export const HITS = 50

export const MemoryPath = z.string().min(1).max(200)

/** Which memory: `agent` names whose, where the scope is an agent's. */
export const MemoryPlace = z.object({ scope: MemoryScope.default('project'), agent: AgentName.optional() })
export type MemoryPlace = z.infer<typeof MemoryPlace>

/** One file, without its text. */
export const MemoryFile = z
  .strictObject({
    scope: WrittenScope,
    agent: z.string().optional(),
    path: z.string(),
    bytes: z.int(),
    changedAt: Time,
  })
  .meta({ id: 'MemoryFile' })
export type MemoryFile = z.infer<typeof MemoryFile>

/** `hash` is what a replace has to name. */
export const MemoryText = z.strictObject({
  ...MemoryFile.omit({ changedAt: true }).shape,
  hash: z.string(),
  text: z.string(),
})
export type MemoryText = z.infer<typeof MemoryText>

export const WriteMemory = z.strictObject({
  ...MemoryPlace.shape,
  path: MemoryPath,
  content: z.string().max(WRITE_CHARS),
  mode: WriteMode.default('append'),
  hash: z.string().max(64).optional(),
})
export type WriteMemory = z.infer<typeof WriteMemory>

export const MemoryWritten = z.strictObject({
  scope: WrittenScope,
  agent: z.string().optional(),
  path: z.string(),
  bytes: z.int(),
  /** Of the file as it is now; empty when it was removed. */
  hash: z.string(),
})
export type MemoryWritten = z.infer<typeof MemoryWritten>

export const SearchMemory = z.strictObject({
  query: z.string().min(1, 'it is empty; say what to look for').max(QUERY_CHARS),
  /** One scope; the project's and all its agents' unless it is named. */
  scope: MemoryScope.optional(),
  agent: AgentName.optional(),
  limit: z.int().min(1).max(HITS).default(10),
})
export type SearchMemory = z.infer<typeof SearchMemory>

/** A section that was found: a heading and its body. */
export const MemoryHit = z.strictObject({
  scope: WrittenScope,
  agent: z.string().optional(),
  path: z.string(),
  heading: z.string(),
  snippet: z.string(),
})
export type MemoryHit = z.infer<typeof MemoryHit>

export const MemoryFound = z.strictObject({
  items: z.array(MemoryHit),
  /** What the reader has to know about the search, such as that embeddings failed. */
  notes: z.array(z.string()),
})
export type MemoryFound = z.infer<typeof MemoryFound>

export const TidyMemory = z.strictObject({
  agent: AgentName,
  wait: z.union([z.boolean(), z.number().min(0).max(600)]).optional(),
})
