import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { Problem } from '../../contract/agents.ts'
import { PatchSettings } from '../../contract/api.ts'
import { Setting } from '../../contract/settings.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { effectiveSettings, patchSettings, settingsWithSources } from '../../core/config/index.ts'
import type { Env, Face } from '../context.ts'
import { answers, body, Named } from '../shapes.ts'
import { projectOf } from './project.ts'

const tags = ['settings']
const View = z.strictObject({ items: z.array(Setting), problems: z.array(Problem), trusted: z.boolean() })

/** Each value that counts, where it comes from, and what is wrong in the files. */
export function settingsRoutes({ core }: Face) {
  const get = createRoute({
    method: 'get',
    path: '/settings',
    tags,
    summary: 'The settings that count in the project; secrets hidden',
    request: { query: Named },
    responses: answers(View),
  })
  const patch = createRoute({
    method: 'patch',
    path: '/settings',
    tags,
    summary: 'Change keys in one settings file; null removes a key',
    request: { query: Named, body: body(PatchSettings) },
    responses: answers(View),
  })

  return new OpenAPIHono<Env>()
    .openapi(get, async (c) => c.json(await view(core, projectOf(core, c)), 200))
    .openapi(patch, async (c) => {
      const { where, changes } = c.req.valid('json')
      const project = projectOf(core, c)
      await patchSettings(core, project, where, changes)
      return c.json(await view(core, project), 200)
    })
}

async function view(core: Core, project: Project): Promise<z.infer<typeof View>> {
  const { problems, trusted } = await effectiveSettings(core, project)
  return { items: settingsWithSources(core, project), problems: [...problems], trusted }
}
