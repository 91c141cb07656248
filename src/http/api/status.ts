import type { Routes } from '../../contract/routes/index.ts'
import { status, welcome } from '../../core/server/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { folderOf, namedProject, projectOf } from './project.ts'

/** Whether the server is alive, which anyone may ask; and what runs here. */
export const statusHandlers = ({ core, engine }: ServerParts) =>
  ({
    'GET /api/health': () => ({ ok: true as const }),
    'GET /api/status': async ({ c }) => {
      const folder = folderOf(c)
      const project = folder === undefined || folder === '*' ? '*' : namedProject(core, folder)
      const found = await status(core, project, snapshot(core, c))
      return { ...found, engine: { kind: 'embedded', running: engine.running } }
    },
    'GET /api/welcome': ({ c }) => welcome(core, projectOf(core, c)),
  }) satisfies Partial<Handlers<Routes['server']>>
