import { type FormEvent, type ReactNode, useState } from 'react'
import type { Node } from '../../../../src/contract/runs.ts'
import { server } from '../../live/server.ts'
import { Ask } from '../../parts/ask.tsx'
import { attempt, Button } from '../../parts/small.tsx'
import { type BoardView, isOver, workerOf } from './view.ts'

/** Write to the worker, have it done once more, call it off. */
export function NodeActs({ view, node }: { view: BoardView; node: Node }): ReactNode {
  const [canceling, setCanceling] = useState(false)
  const worker = workerOf(view, node)
  const params = { id: view.board.run.id, node: node.id }
  const retry = node.status === 'failed' || node.status === 'canceled'
  const cancel = ['pending', 'processing', 'waiting', 'blocked'].includes(node.status)
  const reads = worker?.sessionId !== undefined && worker.status !== 'retired'
  if (isOver(view.board.run.status) || !(reads || retry || cancel)) return null
  return (
    <div className="drawer-f">
      {reads && <WriteTo run={params.id} worker={worker.name} />}
      <span className="right" />
      {retry && (
        <Button
          icon="retry"
          onClick={() => attempt(() => server.call('POST /api/runs/{id}/nodes/{node}/retry', { params }))}
        >
          Retry
        </Button>
      )}
      {cancel && (
        <Button look="danger" onClick={() => setCanceling(true)}>
          Cancel
        </Button>
      )}
      {canceling && (
        <Ask
          title="Call this node off?"
          yes="Call it off"
          act={() => attempt(() => server.call('POST /api/runs/{id}/nodes/{node}/cancel', { params }))}
          close={() => setCanceling(false)}
        >
          “{node.title}” stops at its next safe point, with all that was made for it. What depends on it is blocked. It
          can be retried later.
        </Ask>
      )}
    </div>
  )
}

function WriteTo({ run, worker }: { run: string; worker: string }): ReactNode {
  const [content, setContent] = useState('')
  const [clientId, setClientId] = useState(() => crypto.randomUUID())
  async function send(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (content.trim() === '') return
    const body = { to: worker, content, clientId }
    if (!(await attempt(() => server.call('POST /api/runs/{id}/messages', { params: { id: run }, body })))) return
    setContent('')
    setClientId(crypto.randomUUID())
  }
  return (
    <form className="grow" onSubmit={send}>
      <input
        className="field"
        value={content}
        aria-label={`Write to ${worker}`}
        placeholder={`Write to ${worker}`}
        onChange={(event) => setContent(event.target.value)}
      />
    </form>
  )
}
