import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { Agent } from '../../../../src/contract/agents.ts'
import type { Board, Node, Worker } from '../../../../src/contract/runs.ts'
import type { Session } from '../../../../src/contract/sessions.ts'
import { type Resource, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Avatar } from '../../parts/small.tsx'
import { WhyLine } from '../../parts/why.tsx'
import { askers, useInbox } from '../../state/inbox.ts'
import { useAnswerer } from '../../state/live-log.ts'
import { useProjects } from '../../state/projects.ts'
import { standingOfNode } from '../../state/standing.ts'

const agentOf = (name: string, project: string | undefined): Resource<Agent | undefined> => ({
  key: `agent ${name} ${project ?? ''}`,
  read: async () => {
    const query = project === undefined ? {} : { project }
    return { value: await server.call('GET /api/agents/{name}', { params: { name }, query }) }
  },
})

const nodeOf = (run: string, node: Pick<Node, 'id' | 'updatedAt'>): Resource<Node> => ({
  key: `spec ${node.id} ${node.updatedAt}`,
  read: () => server.snapshot('GET /api/runs/{id}/nodes/{node}', { params: { id: run, node: node.id } }),
})

/** Who the worker is, what it works on, from what, and what it did before. */
export function WhoAndWhat({
  board,
  worker,
  session,
  nodes,
}: {
  board: Board
  worker: Worker
  session: Session
  nodes: readonly Node[]
}): ReactNode {
  const current = nodes.find(({ id }) => id === worker.nodeId) ?? nodes.at(-1)
  const before = nodes.filter((node) => node !== current)
  const asks = askers(useInbox().value).has(session.id)
  return (
    <section className="who-what" aria-label="Who and what">
      <Who worker={worker} session={session} />
      {session.status !== 'idle' && session.status !== 'closed' && (
        <div className="sec">
          <WhyLine of={session.id} version={`${session.status} ${session.reason ?? ''} ${session.messageCount}`} />
        </div>
      )}
      {current && <CurrentNode key={current.id} board={board} node={current} asks={asks} />}
      {before.length > 0 && (
        <div className="sec">
          <h2 className="sec-h">Before</h2>
          {before.map((node) => (
            <Link
              key={node.id}
              className="who"
              to="/runs/$run"
              params={{ run: board.run.id }}
              search={{ node: node.id }}
              title={node.title}
            >
              <Glyph standing={standingOfNode(node)} />
              <span className="cut grow">{node.title}</span>
            </Link>
          ))}
        </div>
      )}
    </section>
  )
}

function Who({ worker, session }: { worker: Worker; session: Session }): ReactNode {
  const project = useProjects().value?.find(({ id }) => id === session.project)?.path
  const answerer = useAnswerer(session.id)
  const { value: agent } = useLive(useMemo(() => agentOf(worker.agent, project), [worker.agent, project]))
  return (
    <>
      <div className="id">
        <Avatar name={worker.name} />
        <div className="grow">
          <div className="strong">{agent?.displayName ?? worker.agent}</div>
          {agent && <div className="small mute">{agent.description}</div>}
        </div>
      </div>
      <div className="sec">
        <dl className="kv two">
          <div>
            <dt>Role</dt>
            <dd>
              <Link className="link" to="/agents" search={{ agent: worker.agent }}>
                {worker.agent}
              </Link>
            </dd>
          </div>
          <div>
            <dt>Model</dt>
            <dd>{session.model ?? worker.model ?? answerer ?? "the agent's own"}</dd>
          </div>
          <div>
            <dt>Workspace</dt>
            <dd className="whole" title={session.workspace}>
              <code>{session.workspace.split('/').slice(-2).join('/')}</code>
            </dd>
          </div>
        </dl>
      </div>
    </>
  )
}

function CurrentNode({ board, node, asks }: { board: Board; node: Node; asks: boolean }): ReactNode {
  const whole = useLive(useMemo(() => nodeOf(board.run.id, node), [board.run.id, node])).value ?? node
  const refs = Object.entries(node.refs ?? {})
  const lines = whole.spec.split('\n').slice(1).join('\n').trim()
  return (
    <>
      <div className="sec spec">
        <h2 className="sec-h">
          Node
          <Link className="right link" to="/runs/$run" params={{ run: board.run.id }} search={{ node: node.id }}>
            On the board
          </Link>
        </h2>
        <p className="node-title">
          <Glyph standing={standingOfNode(node, asks)} />
          <span className="strong">{node.title}</span>
        </p>
        {lines && <Markdown text={lines} />}
        {node.reason && <p className="small soft">{node.reason}</p>}
      </div>
      {refs.length > 0 && (
        <div className="sec">
          <h2 className="sec-h">Reads</h2>
          {refs.map(([name, path]) => (
            <div key={name} className="fl" title={path}>
              <Icon name="file" small />
              <span className="cut grow">{name}</span>
            </div>
          ))}
        </div>
      )}
    </>
  )
}
