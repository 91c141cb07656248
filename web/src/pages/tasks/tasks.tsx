import '../../styles/lists.css'
import '../../styles/tasks.css'
import { type ReactNode, useMemo, useState } from 'react'
import { money } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { KeysStrip } from '../../parts/keys-strip.tsx'
import { Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useFocusOnChosen, useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { shell } from '../../shell/shell-state.ts'
import { useAddress } from '../../state/address.ts'
import { askers, useInbox } from '../../state/inbox.ts'
import { standings } from '../../state/standing.ts'
import { asTree, taskStatuses, titleOfTask, useTasks } from '../../state/tasks.ts'
import { TaskDetail } from './detail.tsx'
import { Filters } from './filters.tsx'
import { standingOfTaskFor } from './standing.ts'
import { TaskTable } from './table.tsx'

/** Every tracked piece of work: as a tree under what gave it, or as a table. */
export function Tasks(): ReactNode {
  const [words, change] = useAddress()
  const { project = '*', status, agent, tag, q = '', view = 'tree', task: chosen } = words
  const wantedStatus = taskStatuses.find((one) => one === status)
  const live = useTasks({ project, status: wantedStatus, agent, tag })
  const asking = askers(useInbox().value)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const fitting = useMemo(() => {
    const wanted = q.toLowerCase()
    return (live.value ?? []).filter((task) => `${titleOfTask(task)} ${task.agent}`.toLowerCase().includes(wanted))
  }, [live.value, q])
  const rows = useMemo(
    () => (view === 'table' ? fitting.map((task) => ({ task, depth: 0, children: 0 })) : asTree(fitting, folded)),
    [fitting, folded, view],
  )
  const fold = (id: string): void =>
    setFolded((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]))
  const move = (by: number): void => {
    const at = rows.findIndex(({ task }) => task.id === chosen)
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))]
    if (next) change({ task: next.task.id })
  }
  const down = (): void => move(1)
  const up = (): void => move(-1)
  const close = (): void => change({ task: undefined })
  useFocusOnChosen(chosen)
  useKeys({
    j: down,
    k: up,
    ArrowDown: down,
    ArrowUp: up,
    Enter: toAnswer,
    ' ': toAnswer,
    ...(chosen !== undefined && { Escape: close }),
    '/': () => document.querySelector<HTMLElement>('.list-find input')?.focus(),
  })
  const filtered = Boolean(wantedStatus ?? agent ?? tag ?? q)
  return (
    <Page
      title="Tasks"
      foot={<KeysStrip keys={keysShown} />}
      className="with-detail"
      aside={
        <>
          <span className="facts list-facts">
            <span>{rows.length} shown</span>
            <span>
              <b>{money(sumOf(fitting), fitting.some(({ unpricedTokens }) => unpricedTokens > 0) ? 1 : 0)}</b> in all
            </span>
          </span>
          <fieldset className="group" aria-label="View">
            {(['tree', 'table'] as const).map((name) => (
              <Button
                key={name}
                small
                icon={name === 'tree' ? 'branch' : 'list'}
                className={view === name ? 'on' : ''}
                aria-pressed={view === name}
                onClick={() => change({ view: name === 'tree' ? undefined : name })}
              >
                {name === 'tree' ? 'Tree' : 'Table'}
              </Button>
            ))}
          </fieldset>
        </>
      }
    >
      <div className={`list-side${chosen ? ' has-detail' : ''}`}>
        <div className="list-main">
          <Filters>
            <span className="list-quick num">
              {counted(fitting.map((task) => standingOfTaskFor(task, asking))).map(([standing, count]) => (
                <span key={standing.word} title={standing.word}>
                  <Glyph standing={standing} />
                  {count}
                </span>
              ))}
            </span>
          </Filters>
          {live.value === undefined ? (
            live.failure ? (
              <Failed failure={live.failure} retry={live.refresh} />
            ) : (
              <Skeleton rows={8} />
            )
          ) : rows.length === 0 ? (
            <div className="list-none">
              {filtered ? (
                <Empty
                  title="No task fits the filter"
                  action={
                    <Button
                      small
                      onClick={() => change({ status: undefined, agent: undefined, tag: undefined, q: undefined })}
                    >
                      Clear the filter
                    </Button>
                  }
                />
              ) : (
                <Empty
                  title="No tasks yet"
                  action={
                    <Button small icon="plus" onClick={() => shell.open('new-run')}>
                      New run
                    </Button>
                  }
                >
                  Work that a person, an agent or a trigger gives to an agent is tracked here.
                </Empty>
              )}
            </div>
          ) : (
            <TaskTable
              rows={rows}
              tree={view !== 'table'}
              folded={folded}
              chosen={chosen}
              asking={asking}
              fold={fold}
              open={(id) => change({ task: id })}
            />
          )}
        </div>
        {chosen && <TaskDetail key={chosen} id={chosen} close={close} />}
      </div>
    </Page>
  )
}

const keysShown = [
  [['j', 'k'], 'move'],
  [['↵'], 'answer'],
  [['1', '–', '9'], 'option'],
  [['o', 's', 'a', 'd'], 'decide'],
  [['/'], 'filter'],
  [['Esc'], 'close'],
] as const

/** To what its session asks, where it asks. */
const toAnswer = (): void => document.querySelector<HTMLElement>('.list-detail .answer :is(button, textarea)')?.focus()

type Spending = { readonly costUsd: number }

const sumOf = (tasks: readonly Spending[]): number => tasks.reduce((sum, { costUsd }) => sum + costUsd, 0)

type Standings = ReturnType<typeof standingOfTaskFor>

function counted(all: readonly Standings[]): readonly (readonly [Standings, number])[] {
  const order = [standings.asks, standings.working, standings.waiting, standings.pending, standings.failed]
  const rest = [standings.canceled, standings.done]
  return [...order, ...rest]
    .map((standing) => [standing, all.filter(({ shape }) => shape === standing.shape).length] as const)
    .filter(([, count]) => count > 0)
}
