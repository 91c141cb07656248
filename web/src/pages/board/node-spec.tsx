import { type ReactNode, useState } from 'react'
import type { Event } from '../../../../src/contract/events.ts'
import type { Node } from '../../../../src/contract/runs.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { attempt, Button, Failed, Skeleton } from '../../parts/small.tsx'

const nodeResource = (run: string, node: Node['id']): Resource<Node> => ({
  key: `node ${run} ${node}`,
  read: () => server.snapshot('GET /api/runs/{id}/nodes/{node}', { params: { id: run, node } }),
  interest: { run, types: ['node.changed', 'node.finished', 'node.failed', 'node.retried', 'node.published'] },
  fold: (whole, event) => (event.nodeId === node ? stale : whole),
})

/** What is wanted of a node, and what came of it. Until it begins, a person can change it. */
export function NodeSpec({ run, node, events }: { run: string; node: Node; events: readonly Event[] }): ReactNode {
  const { value: whole, failure, refresh } = useLive(nodeResource(run, node.id))
  const [editing, setEditing] = useState(false)
  const hints = events.filter(({ type, nodeId }) => type === 'node.suggested' && nodeId === node.id)
  if (whole === undefined) return failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={4} />
  const canChange = node.status === 'pending' && node.startedAt === undefined
  return (
    <>
      {node.summary && (
        <section className="sec">
          <h3 className="sec-h">{node.partial ? 'Handed over in part' : 'What came of it'}</h3>
          <Markdown text={node.summary} />
          {node.reason && <p className="small soft">{node.reason}</p>}
        </section>
      )}
      {!node.summary && node.reason && (
        <section className="sec">
          <p className={node.status === 'failed' || node.status === 'blocked' ? 'bad-words' : 'soft'}>{node.reason}</p>
        </section>
      )}
      <section className="sec spec">
        <h3 className="sec-h">
          Spec
          {canChange && !editing && (
            <Button small look="ghost" icon="pencil" className="right" onClick={() => setEditing(true)}>
              Edit
            </Button>
          )}
        </h3>
        {editing && canChange ? (
          <EditSpec run={run} node={whole} close={() => setEditing(false)} />
        ) : (
          <Markdown text={lined(whole.spec)} />
        )}
      </section>
      {hints.length > 0 && (
        <section className="sec">
          <h3 className="sec-h">Suggested next</h3>
          {hints.map(({ seq, data }) => (
            <Markdown key={seq} text={String(data.suggestion)} />
          ))}
        </section>
      )}
    </>
  )
}

/** Specs are written by the line; Markdown would join the lines. */
const lined = (spec: string): string => spec.replaceAll(/(?<!\n)\n(?![\n\s*#>`|-])/g, '  \n')

function EditSpec({ run, node, close }: { run: string; node: Node; close: () => void }): ReactNode {
  const [spec, setSpec] = useState(node.spec)
  const save = async () => {
    const params = { id: run, node: node.id }
    if (await attempt(() => server.call('PATCH /api/runs/{id}/nodes/{node}', { params, body: { spec } }))) close()
  }
  return (
    <div className="edit-spec">
      <textarea
        className="field"
        rows={10}
        value={spec}
        aria-label="Spec"
        maxLength={100_000}
        onChange={(event) => setSpec(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && close()}
      />
      <div className="acts">
        <Button small look="ghost" onClick={close}>
          Cancel
        </Button>
        <Button small look="primary" onClick={save} disabled={spec.trim() === '' || spec === node.spec}>
          Save
        </Button>
      </div>
    </div>
  )
}
