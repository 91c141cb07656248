import type { Routes } from '../../contract/routes/index.ts'
import { why } from '../../core/why/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { projectOf } from './project.ts'

export const whyHandlers = ({ core }: ServerParts): Handlers<Routes['why']> => ({
  'GET /api/why/{ref}': ({ c, params: { ref } }) => why(core, projectOf(core, c), ref, snapshot(core, c)),
})
