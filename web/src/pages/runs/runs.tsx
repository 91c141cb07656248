import '../../styles/runs.css'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Run } from '../../../../src/contract/runs.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Age, money, Took } from '../../parts/figures.tsx'
import { State } from '../../parts/icon.tsx'
import { KeysStrip } from '../../parts/keys-strip.tsx'
import { Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { shell } from '../../shell/shell-state.ts'
import { useProjects } from '../../state/projects.ts'
import { useRunStandings } from '../../state/run-standing.ts'
import { useRuns } from '../../state/runs.ts'

const archivedRuns: Resource<readonly Run[]> = {
  key: 'archived runs',
  async read() {
    const query = { project: '*', archived: true, limit: 100 }
    const { value, seq } = await server.snapshot('GET /api/runs', { query })
    return { value: value.items.filter(({ archivedAt }) => archivedAt !== undefined), seq }
  },
  interest: { types: ['run.status'] },
  fold: () => stale,
}

const filters = [
  ['', 'All'],
  ['open', 'Open'],
  ['ended', 'Ended'],
  ['archived', 'Archived'],
] as const

/** Every run: what it is for, how far it is, what it costs. */
export function Runs(): ReactNode {
  const [{ show = '', project }, put] = useAddress()
  const { value, failure, refresh } = useRunsShown(show)
  const projects = useProjects().value ?? []
  const here = projects.find(({ path }) => path === project)
  const runs = value?.filter((run) => (here === undefined || run.project === here.id) && fits(run, show))
  return (
    <Page
      title={here ? `Runs in ${here.name}` : 'Runs'}
      aside={
        <Button look="primary" icon="plus" keys="c" onClick={() => shell.open('new-run')}>
          New run
        </Button>
      }
      foot={<KeysStrip keys={keysShown} />}
      tabs={
        <>
          {filters.map(([name, label]) => (
            <button
              key={name}
              type="button"
              className={`tab${show === name ? ' on' : ''}`}
              aria-pressed={show === name}
              onClick={() => put({ show: name || undefined })}
            >
              {label}
            </button>
          ))}
          <span className="right" />
          {projects.length > 1 && (
            <select
              className="field pick"
              aria-label="Project"
              value={project ?? ''}
              onChange={(event) => put({ project: event.target.value || undefined })}
            >
              <option value="">all projects</option>
              {projects.map(({ id, path, name }) => (
                <option key={id} value={path}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </>
      }
    >
      {runs === undefined ? (
        failure ? (
          <Failed failure={failure} retry={refresh} />
        ) : (
          <Skeleton rows={6} />
        )
      ) : runs.length === 0 ? (
        <None filtered={show !== '' || here !== undefined} clear={() => put({ show: undefined, project: undefined })} />
      ) : (
        <RunTable runs={runs} />
      )}
    </Page>
  )
}

const keysShown = [
  [['j', 'k'], 'move'],
  [['↵'], 'open'],
  [['c'], 'new run'],
] as const

function useRunsShown(show: string) {
  const recent = useRuns()
  const archived = useLive(archivedRuns)
  return show === 'archived' ? archived : recent
}

const isOver = ({ status }: Run): boolean => status === 'finished' || status === 'failed' || status === 'stopped'

const fits = (run: Run, show: string): boolean =>
  show === 'open' ? !isOver(run) : show === 'ended' ? isOver(run) : true

function None({ filtered, clear }: { filtered: boolean; clear: () => void }): ReactNode {
  return (
    <div className="page pad">
      {filtered ? (
        <Empty
          title="No run fits the filter"
          action={
            <Button small onClick={clear}>
              Show all
            </Button>
          }
        />
      ) : (
        <Empty
          title="No runs yet"
          action={
            <Button small look="primary" onClick={() => shell.open('new-run')}>
              New run
            </Button>
          }
        >
          Give a coordinator a goal; it finds workers, and you watch the board grow.
        </Empty>
      )}
    </div>
  )
}

function RunTable({ runs }: { runs: readonly Run[] }): ReactNode {
  const go = useNavigate()
  const [at, setAt] = useState(-1)
  const standingOf = useRunStandings()
  const names = new Map((useProjects().value ?? []).map(({ id, name }) => [id as string, name]))
  const step = (by: number) => () => setAt(Math.max(0, Math.min(runs.length - 1, at + by)))
  const open = (run: Run | undefined) => run && void go({ to: '/runs/$run', params: { run: run.id } })
  const openThis = () => open(runs[at])
  useKeys({ j: step(1), k: step(-1), ArrowDown: step(1), ArrowUp: step(-1), Enter: openThis, ' ': openThis })
  return (
    <table className="table runs-table">
      <thead>
        <tr>
          <th>Run</th>
          <th className="c-state">State</th>
          <th className="c-nodes r">Nodes</th>
          <th className="c-project">Project</th>
          <th className="c-time r">Time</th>
          <th className="c-cost r">Cost</th>
          <th className="c-age r">Begun</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run, row) => {
          const all = Object.values(run.nodes).reduce((sum, count) => sum + count, 0)
          return (
            // The title is a link; the rest of the row is a larger target for it.
            <tr key={run.id} className={row === at ? 'on' : ''} onClick={() => open(run)}>
              <td>
                <Link className="med run-title" to="/runs/$run" params={{ run: run.id }} title={run.goal}>
                  {run.title}
                </Link>
                {run.reason && !isOver(run) && <span className="mute run-why"> {run.reason}</span>}
              </td>
              <td className="c-state">
                <State standing={standingOf(run)} />
              </td>
              <td className="c-nodes r">
                {run.nodes.finished ?? 0} of {all}
              </td>
              <td className="c-project mute">{names.get(run.project)}</td>
              <td className="c-time r">
                <Took since={run.createdAt} until={run.endedAt} />
              </td>
              <td className="c-cost r">{money(run.costUsd, run.unpricedTokens)}</td>
              <td className="c-age r mute">
                <Age since={run.createdAt} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
