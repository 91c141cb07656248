import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { nodeOfRef } from '../../../../src/contract/fold-board.ts'
import type { Node } from '../../../../src/contract/runs.ts'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { useAddress } from '../../shell/address.ts'
import { type BoardView, standingIn } from './view.ts'

/** What a node reads of others, and which nodes it waits for. */
export function NodeRefs({ view, node }: { view: BoardView; node: Node }): ReactNode {
  const [, put] = useAddress()
  const { nodes, run } = view.board
  const byId = (id: string | undefined) => nodes.find((one) => one.id === id)
  const refs = Object.entries(node.refs ?? {})
  const joined: readonly (readonly [string, readonly Node[]])[] = [
    ['Depends on', node.dependsOn.flatMap((id) => byId(id) ?? [])],
    ['Made by', [byId(node.parentNodeId)].filter((one) => one !== undefined)],
    ['What builds on it', nodes.filter(({ dependsOn }) => dependsOn.includes(node.id))],
  ]
  const rows = joined.filter(([, found]) => found.length > 0)
  if (refs.length === 0 && rows.length === 0)
    return <p className="sec soft">It reads nothing of other nodes, and none builds on it.</p>
  return (
    <>
      {refs.length > 0 && (
        <section className="sec">
          <h3 className="sec-h">
            Reads<span className="right">published by</span>
          </h3>
          {refs.map(([name, ref]) => {
            const from = byId(nodeOfRef(ref))
            const path = ref.startsWith('nodes/') ? ref : `nodes/${ref}`
            return (
              <div key={name} className="fileline">
                <Icon name="file" small />
                <Link
                  className="cut grow"
                  to="/runs/$run/$tab"
                  params={{ run: run.id, tab: 'files' }}
                  search={{ file: path }}
                  title={ref}
                >
                  {name}
                </Link>
                <span className="tiny mute">{from?.worker ?? from?.title}</span>
              </div>
            )
          })}
        </section>
      )}
      {rows.map(([title, found]) => (
        <section key={title} className="sec">
          <h3 className="sec-h">{title}</h3>
          {found.map((one) => (
            <button key={one.id} type="button" className="nav joined" onClick={() => put({ node: one.id })}>
              <Glyph standing={standingIn(view, one)} />
              <span className="cut">{one.title}</span>
            </button>
          ))}
        </section>
      ))}
    </>
  )
}
