import { MODEL } from '../house.ts'
import { serve } from '../processes.ts'
import { reportFor, type Seen } from './script.ts'

export interface StandIn {
  readonly baseURL: string
  /** What the vendor itself counted of a run. */
  seen(run: string): Promise<Seen>
  stop(): Promise<void>
}

/** The model vendor in a process of its own, so that its work counts for no variant. */
export async function startStandIn(): Promise<StandIn> {
  const { line, stop } = await serve(here('../../test/kit/vendor/main.ts'), [
    '--script',
    here('./script.ts'),
    '--keep',
    '1',
  ])
  const baseURL = `${line}/v1`
  return {
    baseURL,
    stop,
    async seen(run) {
      const response = await fetch(`${baseURL}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: MODEL, stream: true, messages: [{ role: 'user', content: reportFor(run) }] }),
      })
      return JSON.parse(spoken(await response.text())) as Seen
    },
  }
}

function spoken(events: string): string {
  const chunks = events.match(/^data: \{.*$/gm) ?? []
  return chunks
    .map((line) => JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] })
    .map((chunk) => chunk.choices[0]?.delta.content ?? '')
    .join('')
}

const here = (path: string): string => new URL(path, import.meta.url).pathname
