import type { Routes } from '../../contract/routes/index.ts'
import { makeBackup } from '../../core/server/index.ts'
import type { Face } from '../context.ts'
import type { Handlers } from '../handlers.ts'

export const backupHandlers = ({ core }: Face) =>
  ({ 'POST /api/backup': () => makeBackup(core) }) satisfies Partial<Handlers<Routes['server']>>
