import { z } from 'zod'

/** Agents as other programs keep them in a project, to be made agents here. */
export const ImportAgents = z.strictObject({
  /** Those of these names; all that are found without it. */
  names: z.array(z.string().min(1).max(64)).max(200).optional(),
  /** Says what would be written, and writes nothing. */
  dryRun: z.boolean().optional(),
  /** Replaces agents of the project that have the same name. */
  overwrite: z.boolean().optional(),
})
export type ImportAgents = z.infer<typeof ImportAgents>

export const ImportedAgent = z
  .strictObject({
    name: z.string(),
    /** The file that was read, relative to the project. */
    from: z.string(),
    /** written: it is an agent now. new: it would be. exists: one of that name is there, and stays. broken: it cannot be. */
    outcome: z.enum(['written', 'new', 'exists', 'broken']),
    /** What of it has no counterpart here, and what was done with it. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'ImportedAgent' })
export type ImportedAgent = z.infer<typeof ImportedAgent>
