import { z } from 'zod'
import { questionPolicy } from '../../core/mail/index.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { parkForQuestion } from '../../core/waits/index.ts'

export const askHuman = defineTool({
  name: 'ask_human',
  description: 'Ask the person what you cannot find out or decide yourself, all at once. The answer may take long.',
  input: z.strictObject({
    question: z.string().min(1).max(10_000).describe('With all that is needed to answer it'),
    options: z.array(z.string().min(1).max(500)).max(20).optional().describe('Answers to choose from'),
  }),
  capabilities: ['human'],
  parallel: true,
  idempotent: true,
  async run({ question, options }, { core, sessionId, project, chain }) {
    const policy = await questionPolicy(core, { sessionId, project, chainId: chain.id })
    return parkForQuestion({ question, ...(options && { options }) }, policy, core.clock.now())
  },
})
