import { useEffect, useState } from 'react'
import type { AgentPreview } from '../../../../src/contract/agent-preview.ts'
import type { Agent, AgentFile } from '../../../../src/contract/agents.ts'
import { server } from '../../live/server.ts'
import { attempt } from '../../parts/small.tsx'
import { type Draft, putAgent, tidy } from '../../state/agents.ts'

/** After the last key, before the server is asked what would come of it. */
const PAUSE_MS = 400

export interface DraftState {
  readonly value: Draft
  readonly dirty: boolean
  /** Why it cannot be saved yet. */
  readonly wrong: string | undefined
  /** What would come of it; of the last text that could be read. */
  readonly preview: AgentPreview | undefined
  define(change: (definition: AgentFile) => AgentFile): void
  write(prose: Partial<Draft['prose']>): void
  /** The text of agent.json does not parse, or does again. */
  setWrong(wrong: string | undefined): void
  save(): Promise<void>
  undo(): void
}

/** What a person is writing about an agent, with what the server makes of it. */
export function useDraft(project: string | undefined, agent: Agent): DraftState {
  const saved: Draft = { definition: agent.definition, prose: agent.prose }
  const [changed, setChanged] = useState<Draft>()
  const [wrong, setWrong] = useState<string>()
  const [preview, setPreview] = useState<AgentPreview>()
  const value = changed ?? saved
  const text = JSON.stringify(value)
  const dirty = text !== JSON.stringify(saved)

  useEffect(() => {
    let gone = false
    const { definition, prose } = JSON.parse(text) as Draft
    const timer = setTimeout(
      async () => {
        const given = { params: { name: agent.name }, query: { project }, body: whole({ definition, prose }) }
        const made = await server.call('POST /api/agents/{name}/preview', given).catch(() => undefined)
        if (!gone && made) setPreview(made)
      },
      dirty ? PAUSE_MS : 0,
    )
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [text, dirty, project, agent.name])

  return {
    value,
    dirty,
    wrong,
    preview,
    define: (change) => setChanged({ ...value, definition: tidy(change(value.definition)) }),
    write: (prose) => setChanged({ ...value, prose: { ...value.prose, ...prose } }),
    setWrong,
    async save() {
      if (!dirty || wrong !== undefined) return
      await attempt(async () => {
        await putAgent(project, agent.name, whole(value))
        setChanged(undefined)
      })
    },
    undo() {
      setChanged(undefined)
      setWrong(undefined)
    },
  }
}

/** Without the names that are not written yet: the nothing behind a comma. */
const whole = ({ definition, prose }: Draft): Draft => ({
  definition: JSON.parse(JSON.stringify(definition), (_, value: unknown) =>
    Array.isArray(value) ? value.filter((one) => one !== '') : value,
  ) as AgentFile,
  prose,
})
