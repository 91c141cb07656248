import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { parkForTime } from '../../core/waits/index.ts'

export const sleep = defineTool({
  name: 'sleep',
  description: 'Wait for some seconds, then go on.',
  input: z.strictObject({ seconds: z.int().min(1).max(300).describe('How long, from 1 to 300') }),
  capabilities: ['timer'],
  guidance: 'Messages come by themselves; do not sleep to wait for one.',
  rare: true,
  parallel: true,
  idempotent: true,
  async run({ seconds }, { core }) {
    return parkForTime({ until: core.clock.now() + seconds * 1000, result: `Slept for ${seconds} s.` })
  },
})
