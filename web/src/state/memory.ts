import type { MemoryFile, MemoryFound, MemoryScope, MemoryText } from '../../../src/contract/memory.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** One memory file: whose, and its path there. */
export interface MemoryRef {
  readonly scope: MemoryScope
  readonly agent?: string | undefined
  readonly path: string
}

/** As it stands in the address: `agent:coder:MEMORY.md`. */
export const refText = ({ scope, agent = '', path }: Omit<MemoryRef, 'scope'> & { readonly scope: string }): string =>
  `${scope}:${agent}:${path}`

export function refOf(text: string): MemoryRef | undefined {
  const [scope, agent = '', ...path] = text.split(':')
  if (scope !== 'user' && scope !== 'project' && scope !== 'agent') return undefined
  return { scope, path: path.join(':'), ...(agent && { agent }) }
}

const interest = { types: ['memory.written'] } as const

/** What a worker of a run keeps is among the files of its run. */
const isListed = (file: MemoryFile): file is MemoryEntry => file.scope !== 'worker'

export type MemoryEntry = MemoryFile & MemoryRef

const filesOf = (project: string | undefined): Resource<readonly MemoryEntry[]> => ({
  key: `memory ${project ?? ''}`,
  async read() {
    const { value, seq } = await server.snapshot('GET /api/memory', { query: { project } })
    return { value: value.items.filter(isListed), seq }
  },
  interest: { types: [...interest.types] },
  fold: () => stale,
})

export const useMemoryFiles = (project: string | undefined): Live<readonly MemoryEntry[]> => useLive(filesOf(project))

/** Read once: what somebody else writes meanwhile shows when it is saved, or loaded again. */
const textOf = (project: string | undefined, ref: MemoryRef): Resource<MemoryText> => ({
  key: `memory ${project ?? ''} ${refText(ref)}`,
  read: () => server.snapshot('GET /api/memory/file', { query: { project, ...ref } }),
})

export const useMemoryText = (project: string | undefined, ref: MemoryRef): Live<MemoryText> =>
  useLive(textOf(project, ref))

/** `hash` is of the text that was changed; without one the file is new. */
export const writeMemory = (project: string | undefined, ref: MemoryRef, content: string, hash?: string) =>
  server.call('PUT /api/memory/file', {
    query: { project },
    body: { ...ref, content, mode: 'replace', ...(hash !== undefined && { hash }) } as never,
  })

export const deleteMemory = (project: string | undefined, ref: MemoryRef) =>
  server.call('DELETE /api/memory/file', { query: { project, ...ref } })

export const searchMemory = (
  project: string | undefined,
  query: string,
  scope?: MemoryRef['scope'],
): Promise<MemoryFound> =>
  server.call('POST /api/memory/search', { query: { project }, body: { query, limit: 20, ...(scope && { scope }) } })

/** Who wrote a file last, as far as the record goes; for the moment in which two write the same one. */
export async function lastWriter(ref: MemoryRef): Promise<string | undefined> {
  const { items } = await server.call('GET /api/events', {
    query: { project: '*', types: ['memory.written'], newest: true, limit: 50 },
  })
  const found = items.findLast(({ data }) => data.path === ref.path && data.scope === ref.scope)
  if (found === undefined) return undefined
  if (found.data.by === 'human') return 'a person'
  if (found.sessionId === undefined) return 'an agent'
  const session = await server
    .call('GET /api/sessions/{ref}', { params: { ref: found.sessionId } })
    .catch(() => undefined)
  return session === undefined ? 'an agent' : `${session.worker ?? session.agent} (${session.handle})`
}
