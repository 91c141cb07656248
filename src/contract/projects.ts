import { z } from 'zod'

/** A folder in which agents have worked, or the server's own. */
export const ProjectInfo = z
  .strictObject({
    id: z.string(),
    path: z.string(),
    /** The last name of the path. */
    name: z.string(),
    /** The server was started here; requests that name no project mean it. */
    own: z.boolean(),
    /** The folder is not there any more; what was said in it can still be read. */
    gone: z.boolean(),
  })
  .meta({ id: 'Project' })
export type ProjectInfo = z.infer<typeof ProjectInfo>
