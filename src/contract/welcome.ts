import { z } from 'zod'
import { CreateRun } from './runs.ts'

/** What a newcomer has here already. Names only: no key, no path. */
export const Welcome = z
  .strictObject({
    /** Environment variables of the server that hold a key. */
    keys: z.array(z.strictObject({ provider: z.string(), variable: z.string() })),
    /** Models that run on this machine. */
    localModels: z.array(z.string()),
    /** Command-line agents that are installed. */
    programs: z.array(z.string()),
    /** Agents that name no model use this one; false: it is the scripted demo. */
    defaultModel: z.string(),
    thinks: z.boolean(),
    /** Given to POST /api/runs, plays a whole run without a key. */
    demo: CreateRun.pick({ goal: true, model: true }),
  })
  .meta({ id: 'Welcome' })
export type Welcome = z.infer<typeof Welcome>
