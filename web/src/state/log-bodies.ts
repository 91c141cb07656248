import type { Message } from '../../../src/contract/messages.ts'
import type { Live } from '../live/resource.ts'
import { server } from '../live/server.ts'
import type { Log } from './log.ts'

/** The bodies of messages, fetched as events tell of them. */

type Put = Live<Log>['put']

const read = async (
  id: string,
  query: { after?: number; before?: number; limit: number },
): Promise<readonly Message[]> =>
  (await server.call('GET /api/sessions/{ref}/messages', { params: { ref: id }, query })).items

export async function newer(id: string, last: number, put: Put): Promise<void> {
  const items = await read(id, { after: last, limit: 200 })
  put((log) => {
    const end = log.messages.at(-1)?.seq ?? 0
    const fresh = items.filter(({ seq }) => seq > end)
    const written = log.writing !== undefined && log.writing.seq <= (fresh.at(-1)?.seq ?? end)
    return { ...log, messages: [...log.messages, ...fresh], ...(written && { writing: undefined }) }
  })
}

export async function again(id: string, seq: number, put: Put): Promise<void> {
  const [found] = await read(id, { after: seq - 1, limit: 1 })
  put((log) => ({
    ...log,
    changed: log.changed.filter((one) => one !== seq),
    messages: log.messages.map((message) => (message.seq === seq && found?.seq === seq ? found : message)),
  }))
}

export async function before(id: string, first: number, put: Put): Promise<void> {
  const items = await read(id, { before: first, limit: 200 })
  put((log) => ({
    ...log,
    messages: [...items.filter(({ seq }) => seq < (log.messages[0]?.seq ?? 0)), ...log.messages],
    more: (items[0]?.seq ?? 1) > 1,
  }))
}
