import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { CreateRun } from '../../../src/contract/runs.ts'
import { server } from '../live/server.ts'
import { Dialog } from '../parts/dialog.tsx'
import { attempt, Button } from '../parts/small.tsx'
import { useProjects } from '../state/projects.ts'
import { shell } from './shell-state.ts'

type Draft = Omit<Partial<CreateRun>, 'goal'> & { goal: string }

/** A goal becomes a run; everything but the goal has a default. */
export function NewRun(): ReactNode {
  const projects = useProjects().value ?? []
  const go = useNavigate()
  const [infinite, setInfinite] = useState(false)
  // The same run is not started twice by a second click.
  const [clientId] = useState(() => crypto.randomUUID())

  async function start(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string): string => String(form.get(name) ?? '').trim()
    const maxCostUsd = Number(text('budget'))
    const body: Draft = {
      goal: text('goal'),
      clientId,
      ...(text('agent') && { agent: text('agent') }),
      ...(text('model') && { model: text('model') }),
      ...(infinite && { mode: 'infinite', cycleSeconds: Number(text('cycle')) * 60 }),
      ...(maxCostUsd > 0 && { limits: { maxCostUsd } }),
    }
    const query = { project: text('project') || undefined }
    await attempt(async () => {
      const run = await server.call('POST /api/runs', { query, body })
      shell.close()
      await go({ to: '/runs/$run', params: { run: run.id } })
    })
  }

  return (
    <Dialog label="New run" className="new-run" close={shell.close}>
      <form onSubmit={start}>
        <h2>New run</h2>
        <label>
          Goal
          <textarea
            name="goal"
            required
            rows={4}
            maxLength={100_000}
            placeholder="What should be true when they are done?"
          />
        </label>
        <div className="fields">
          <label>
            Project
            <select name="project" className="field">
              {projects.map(({ id, path, name }) => (
                <option key={id} value={path}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label>
            Coordinator
            <input name="agent" className="field" placeholder="coordinator" />
          </label>
          <label>
            Model
            <input name="model" className="field" placeholder="as its agent says" />
          </label>
          <label>
            Budget in $
            <input name="budget" className="field" inputMode="decimal" pattern="[0-9]*[.]?[0-9]*" placeholder="none" />
          </label>
          <label className="check">
            <input type="checkbox" checked={infinite} onChange={(event) => setInfinite(event.target.checked)} />
            Begins anew, again and again
          </label>
          {infinite && (
            <label>
              Minutes between cycles
              <input name="cycle" className="field" type="number" min={1} defaultValue={60} />
            </label>
          )}
        </div>
        <div className="acts">
          <Button look="ghost" onClick={shell.close}>
            Cancel
          </Button>
          <Button look="primary" type="submit">
            Start
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
