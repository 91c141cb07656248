import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Event } from '../../../../src/contract/events.ts'
import type { Node } from '../../../../src/contract/runs.ts'
import { useLive } from '../../live/resource.ts'
import { Dock } from '../../parts/dock.tsx'
import { duration } from '../../parts/figures.tsx'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { Avatar, Button, Handle } from '../../parts/small.tsx'
import { WhyWords } from '../../parts/why.tsx'
import { useAddress } from '../../shell/address.ts'
import { useInbox } from '../../state/inbox.ts'
import { NodeActs } from './node-acts.tsx'
import { NodeFiles, useRunFiles } from './node-files.tsx'
import { NodeLog } from './node-log.tsx'
import { NodeRefs } from './node-refs.tsx'
import { NodeSpec } from './node-spec.tsx'
import { type BoardView, costIn, standingIn, tookOf, workerOf } from './view.ts'
import { whyResource } from './why-strip.tsx'

const tabs = ['node', 'refs', 'scratch', 'published', 'log'] as const
type Tab = (typeof tabs)[number]

/** A node, beside the board: what is wanted, what it reads and hands over, what happened, and what can be done. */
export function NodeDrawer({
  view,
  node,
  events,
  close,
}: {
  view: BoardView
  node: Node
  events: readonly Event[]
  close: () => void
}): ReactNode {
  const [{ part }, put] = useAddress()
  const tab: Tab = tabs.find((name) => name === part) ?? 'node'
  const files = useRunFiles(view.board.run.id, `nodes/${node.id}/`)
  const counts: Partial<Record<Tab, number>> = {
    refs: Object.keys(node.refs ?? {}).length,
    scratch: files?.filter(({ path }) => path.includes('/scratch/')).length ?? 0,
    published: node.published?.length ?? 0,
  }
  const run = view.board.run.id
  return (
    <aside className="drawer" aria-label={`Node: ${node.title}`}>
      <Head view={view} node={node} close={close} />
      <div className="drawer-b">
        <Asked view={view} node={node} />
        <div className="tabs" role="tablist" aria-label="Of the node">
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={tab === name}
              className={`tab${tab === name ? ' on' : ''}`}
              onClick={() => put({ part: name === 'node' ? undefined : name }, { replace: true })}
            >
              {words[name]}
              {(counts[name] ?? 0) > 0 && <span className="count">{counts[name]}</span>}
            </button>
          ))}
        </div>
        <div role="tabpanel" aria-label={words[tab]}>
          {tab === 'node' && <NodeSpec key={node.id} run={run} node={node} events={events} />}
          {tab === 'refs' && <NodeRefs view={view} node={node} />}
          {tab === 'scratch' && <NodeFiles run={run} folder={`nodes/${node.id}/scratch/`} files={files} />}
          {tab === 'published' && <NodeFiles run={run} folder={`nodes/${node.id}/published/`} files={files} />}
          {tab === 'log' && <NodeLog view={view} node={node} events={events} />}
        </div>
      </div>
      {view.live && <NodeActs view={view} node={node} />}
    </aside>
  )
}

const words: Record<Tab, string> = {
  node: 'Node',
  refs: 'Refs',
  scratch: 'Scratch',
  published: 'Published',
  log: 'Log',
}

function Head({ view, node, close }: { view: BoardView; node: Node; close: () => void }): ReactNode {
  const worker = workerOf(view, node)
  const took = tookOf(view, node)
  const handle = worker?.sessionId === undefined ? undefined : view.handles.get(worker.sessionId)
  const params = { run: view.board.run.id, worker: worker?.name ?? '' }
  return (
    <>
      <div className="drawer-h">
        <Glyph standing={standingIn(view, node)} large />
        <h2 className="grow">{node.title}</h2>
        {worker && (
          <Link
            className="btn ghost icon sm"
            to="/runs/$run/workers/$worker"
            params={params}
            aria-label={`Open ${worker.name}`}
          >
            <Icon name="open" small />
          </Link>
        )}
        <Button look="ghost" small icon="x" aria-label="Close" onClick={close} />
      </div>
      <div className="meta">
        {worker ? (
          <>
            <Avatar name={worker.name} small />
            <Link className="med who" to="/runs/$run/workers/$worker" params={params}>
              {worker.name}
            </Link>
            {handle && <Handle handle={handle} />}
            <span className="mute">{worker.model ?? worker.agent}</span>
          </>
        ) : (
          <span className="mute">no worker yet</span>
        )}
        <span className="mute right num">
          {took !== undefined && `${duration(took)} · `}
          <span className="soft">{costIn(view, node)}</span>
        </span>
      </div>
    </>
  )
}

/** What its worker asks the person; else why it does not go on. */
function Asked({ view, node }: { view: BoardView; node: Node }): ReactNode {
  const { value: why } = useLive(whyResource(node.id, view.board.run.id))
  const worker = workerOf(view, node)
  const asked = (useInbox().value ?? []).filter(({ waits }) =>
    waits.some(({ sessionId }) => worker?.nodeId === node.id && sessionId === worker.sessionId),
  )
  const [open, setOpen] = useState(false)
  if (!view.live) return <p className="past small mute">As it stood then.</p>
  const [line, ...rest] = why?.text.split('\n') ?? []
  return (
    <>
      {line && (
        <div className="node-why">
          <button type="button" className="why" aria-expanded={open} onClick={() => setOpen(!open)}>
            <b>why</b>
            <span>
              <WhyWords line={line} />
            </span>
          </button>
          {open && rest.length > 0 && <pre className="why-rest">{rest.join('\n')}</pre>}
        </div>
      )}
      {asked.length > 0 && (
        <div className="drawer-dock">
          <Dock items={asked} />
        </div>
      )}
    </>
  )
}
