import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { clock, money, Took } from '../../parts/figures.tsx'
import { Icon, State } from '../../parts/icon.tsx'
import { useSessions } from '../../state/sessions.ts'
import { type Branch, titleOfTask } from '../../state/tasks.ts'
import { standingOfTaskFor } from './standing.ts'

interface Given {
  readonly rows: readonly Branch[]
  readonly tree: boolean
  readonly folded: ReadonlySet<string>
  readonly chosen: string | undefined
  readonly asking: ReadonlySet<string>
  fold(id: string): void
  open(id: string): void
}

const STEP = 20
const ROW = 32
const TOUCH_ROW = 44

/** The tasks, one row each; only those in sight are drawn. */
export function TaskTable(given: Given): ReactNode {
  const { rows, chosen } = given
  const scroll = useRef<HTMLDivElement>(null)
  const high = matchMedia('(max-width: 767px)').matches ? TOUCH_ROW : ROW
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => high,
    overscan: 12,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another choice moves the list, not a change of a row
  useEffect(() => {
    const at = rows.findIndex(({ task }) => task.id === chosen)
    if (at >= 0) list.scrollToIndex(at, { align: 'auto' })
  }, [chosen, list])
  const seen = list.getVirtualItems()
  // Where nothing is below anything, nothing is set in.
  const tree = given.tree && rows.some(({ children }) => children > 0)
  const workers = new Map((useSessions().value ?? []).map(({ id, worker }) => [id as string, worker]))
  const before = seen[0]?.start ?? 0
  const after = list.getTotalSize() - (seen.at(-1)?.end ?? 0)
  return (
    <div className="list-scroll" ref={scroll}>
      <table className="table tasks-table">
        <thead>
          <tr>
            <th>Task</th>
            <th className="w-state">State</th>
            <th className="w-who">Who</th>
            <th className="w-num r">Started</th>
            <th className="w-num r">Time</th>
            <th className="w-num r">Own</th>
            <th className="w-kids r">With children</th>
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} />}
          {seen.map(({ index }) => (
            <Row
              key={rows[index]!.task.id}
              branch={rows[index]!}
              worker={workers.get(rows[index]!.task.sessionId)}
              {...given}
              tree={tree}
            />
          ))}
          {after > 0 && <tr style={{ height: after }} />}
        </tbody>
      </table>
    </div>
  )
}

function Row({
  branch: { task, depth, children },
  worker,
  tree,
  folded,
  chosen,
  asking,
  fold,
  open,
}: Given & { branch: Branch; worker: string | undefined }) {
  const on = task.id === chosen
  const title = titleOfTask(task)
  return (
    <tr className={on ? 'on' : ''} onClick={() => open(task.id)}>
      <td>
        <span className="cell" style={{ paddingLeft: tree ? depth * STEP : 0 }}>
          {tree &&
            (children > 0 ? (
              <button
                type="button"
                className="twist"
                aria-expanded={!folded.has(task.id)}
                aria-label={`Tasks below ${title}`}
                onClick={(event) => {
                  event.stopPropagation()
                  fold(task.id)
                }}
              >
                <Icon name={folded.has(task.id) ? 'right' : 'down'} small />
              </button>
            ) : (
              <span className="twist" />
            ))}
          <button
            type="button"
            className={`cut tasks-title${depth === 0 ? ' med' : ''}`}
            aria-current={on ? 'true' : undefined}
            title={title}
          >
            {title}
          </button>
        </span>
      </td>
      <td>
        <State standing={standingOfTaskFor(task, asking)} />
      </td>
      <td>
        <span className="cell">
          <span className="cut">{worker ?? task.agent}</span>
          <span className="handle">{task.session}</span>
        </span>
      </td>
      <td className="r soft">{task.startedAt ? clock(task.startedAt) : '–'}</td>
      <td className="r soft">{task.startedAt ? <Took since={task.startedAt} until={task.finishedAt} /> : '–'}</td>
      <td className="r soft">{task.startedAt ? money(task.costUsd, task.unpricedTokens) : '–'}</td>
      <td className="r">
        {task.totalCostUsd > task.costUsd || children > 0 ? money(task.totalCostUsd, task.unpricedTokens) : ''}
      </td>
    </tr>
  )
}
