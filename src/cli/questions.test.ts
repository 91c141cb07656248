import { expect, onTestFinished, test, vi } from 'vitest'
import { heading } from './questions.ts'

test('the words of a question cannot command the terminal', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  await heading('in /tmp/a\u001b]0;title\u0007\u202eb\u009b2J')
  const written = write.mock.calls.map(([text]) => String(text)).join('')
  expect(written).toContain('in /tmp/a]0;titleb2J')
})
