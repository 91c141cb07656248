import type { Routes } from '../../contract/routes/index.ts'
import { makeBackup } from '../../core/server/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'

export const backupHandlers = ({ core }: ServerParts) =>
  ({ 'POST /api/backup': () => makeBackup(core) }) satisfies Partial<Handlers<Routes['server']>>
