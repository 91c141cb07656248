import { z } from 'zod'
import { defineTool } from '../../core/permissions/index.ts'
import { parkForQuestion } from '../../core/waits/index.ts'

export const askHuman = defineTool({
  name: 'ask_human',
  description: 'Ask the person a question and wait for the answer, which may take long.',
  input: z.strictObject({
    question: z.string().min(1).max(10_000).describe('The question, with what the person needs to know to answer it'),
    options: z
      .array(z.string().min(1).max(500))
      .max(20)
      .optional()
      .describe('Answers to choose from; free text is possible too'),
  }),
  capabilities: ['human'],
  guidance: 'Ask only what you cannot find out or decide yourself, and ask everything at once.',
  parallel: true,
  idempotent: true,
  async run({ question, options }) {
    return parkForQuestion({ question, ...(options && { options }) })
  },
})
