import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { listTriggers } from '../../core/triggers/index.ts'

const LISTED = 50

export const listTriggersTool = defineTool({
  name: 'list_triggers',
  description: 'List what you have scheduled: when it fires next, how often it acted, what came of it last.',
  input: z.strictObject({}),
  capabilities: ['triggers'],
  rare: true,
  parallel: true,
  idempotent: true,
  async run(_input, { core, project, sessionId }) {
    const { items } = await listTriggers(core, { project: project.id, owner: sessionId, limit: LISTED })
    return {
      output: items.map(({ id, name, type, config, status, nextAt, fires, maxFires, lastOutcome }) => ({
        triggerId: id,
        name,
        type,
        config,
        status,
        ...(nextAt && { nextAt }),
        fires,
        ...(maxFires && { maxFires }),
        ...(lastOutcome && { lastOutcome }),
      })),
    }
  },
})
