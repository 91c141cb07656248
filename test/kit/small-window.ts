import type { Reply, SeenRequest } from './vendor/reply.ts'
import type { World } from './world.ts'

/** Everything that a request has the model read, as text. */
export const readIn = ({ system, messages, body }: SeenRequest): string =>
  [
    system,
    JSON.stringify(body.tools ?? []),
    ...messages.flatMap(({ text, calls, results }) => [
      text,
      ...calls.map(({ input }) => JSON.stringify(input)),
      ...results.map((result) => result.text),
    ]),
  ].join('\n')

/** A vendor's count: four characters a token. */
export const countOf = (request: SeenRequest): number => Math.ceil(readIn(request).length / 4)

/** Has a model count what it reads as a vendor does, and refuse what does not fit its window. */
export function plays(
  world: World,
  model: string,
  { window, says }: { window: number; says: (request: SeenRequest) => Reply },
): void {
  world.vendor.script(
    (request) => {
      const input = countOf(request)
      if (input > window) return { error: { kind: 'context' } }
      const reply = says(request)
      return reply.error ? reply : { usage: { input, output: 20 }, ...reply }
    },
    { model },
  )
}

/** Whether a request is one of a compaction: to write to memory first, or to sum up. */
export const isFlush = ({ messages }: SeenRequest): boolean =>
  messages.some(({ text }) => text.includes('about to be replaced by a summary'))
export const isSummary = ({ system }: SeenRequest): boolean => system.startsWith('You sum up')

/** Settings of a provider whose models have these windows. */
export const windows = (of: Readonly<Record<string, number>>) => ({
  prices: Object.fromEntries(Object.entries(of).map(([model, contextWindow]) => [model, { contextWindow }])),
})
