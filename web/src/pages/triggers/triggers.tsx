import '../../styles/lists.css'
import '../../styles/triggers.css'
import type { ReactNode } from 'react'
import type { Trigger } from '../../../../src/contract/triggers.ts'
import { Glyph } from '../../parts/icon.tsx'
import { KeysStrip } from '../../parts/keys-strip.tsx'
import { Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useFocusOnChosen, useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { useAddress } from '../../state/address.ts'
import { useLedger } from '../../state/ledger.ts'
import { cronOf, standingOfTrigger, useTriggers, whenInWords } from '../../state/triggers.ts'
import { fireNow, nextOf, setStatus } from './acts.ts'
import { Daemons } from './daemons.tsx'
import { TriggerDetail } from './detail.tsx'
import { TriggerForm } from './form.tsx'
import { Legend, Strip } from './strip.tsx'
import { Today } from './today.tsx'

/** What begins by itself: when next, and what became of each time. */
export function Triggers(): ReactNode {
  const [{ project = '*', trigger: chosen, make }, change] = useAddress()
  const { value, failure, refresh } = useTriggers(project)
  const ledger = useLedger(project).value ?? []
  const shown = value ?? []
  const move = (by: number): void => {
    const at = shown.findIndex(({ id }) => id === chosen)
    const next = shown[Math.max(0, Math.min(shown.length - 1, at + by))]
    if (next) change({ trigger: next.id, make: undefined })
  }
  const down = (): void => move(1)
  const up = (): void => move(-1)
  const close = (): void => change({ trigger: undefined, make: undefined, tab: undefined })
  const begin = (): void => change({ make: 'new', trigger: undefined })
  useFocusOnChosen(chosen)
  useKeys({ j: down, k: up, ArrowDown: down, ArrowUp: up, n: begin, ...((chosen ?? make) && { Escape: close }) })
  const start = (
    <Button look="primary" icon="plus" keys="n" onClick={begin}>
      New trigger
    </Button>
  )
  const current = shown.find(({ id }) => id === chosen)
  return (
    <Page
      title="Triggers"
      foot={<KeysStrip keys={keysShown} />}
      className="with-detail"
      aside={
        <>
          <Legend />
          {start}
        </>
      }
    >
      <div className={`list-side${current || make ? ' has-detail' : ''}`}>
        <div className="list-main list-scroll">
          {value === undefined ? (
            failure ? (
              <Failed failure={failure} retry={refresh} />
            ) : (
              <Skeleton rows={5} />
            )
          ) : value.length === 0 ? (
            <div className="list-none">
              <Empty title="Nothing begins by itself yet" action={start}>
                A trigger writes to an agent or gives it work: at a time, again and again, at an event, or when nothing
                happens.
              </Empty>
            </div>
          ) : (
            <table className="table trig-table">
              <thead>
                <tr>
                  <th>Trigger</th>
                  <th className="w-when">When</th>
                  <th className="w-next">Next</th>
                  <th className="w-strip">Last 12, newest right</th>
                  <th className="w-acts">
                    <span className="sr">What to do</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((trigger) => (
                  <Row
                    key={trigger.id}
                    trigger={trigger}
                    on={trigger.id === chosen}
                    strip={<Strip entries={ledger.filter(({ triggerId }) => triggerId === trigger.id)} />}
                    open={() => change({ trigger: trigger.id, make: undefined })}
                  />
                ))}
              </tbody>
            </table>
          )}
          <Daemons project={project} />
          <Today entries={ledger} triggers={shown} open={(id) => change({ trigger: id, make: undefined })} />
        </div>
        {make ? (
          <aside className="list-detail" aria-label="New trigger">
            <TriggerForm done={(made) => change({ make: undefined, trigger: made?.id })} />
          </aside>
        ) : (
          current && <TriggerDetail key={current.id} trigger={current} close={close} />
        )}
      </div>
    </Page>
  )
}

const keysShown = [
  [['j', 'k'], 'move'],
  [['n'], 'new trigger'],
  [['Esc'], 'close'],
] as const

function Row({ trigger, on, strip, open }: { trigger: Trigger; on: boolean; strip: ReactNode; open(): void }) {
  const { id, name, status, type } = trigger
  return (
    <tr className={on ? 'on' : ''} onClick={open}>
      <td>
        <span className="cell">
          <Glyph standing={standingOfTrigger(trigger)} />
          <button type="button" className="med cut" aria-current={on ? 'true' : undefined}>
            {name}
          </button>
          <span className="mute small trig-type">{type.replace('_', ' ')}</span>
        </span>
      </td>
      <td className="soft small" title={[whenInWords(trigger), cronOf(trigger)].filter(Boolean).join('\n')}>
        {whenInWords(trigger)}
      </td>
      <td className="soft small num">{nextOf(trigger)}</td>
      <td>{strip}</td>
      <td className="r">
        {(status === 'active' || status === 'paused') && <Acts id={id} paused={status === 'paused'} name={name} />}
      </td>
    </tr>
  )
}

function Acts({ id, paused, name }: { id: string; paused: boolean; name: string }): ReactNode {
  return (
    <span className="cell trig-acts">
      <Button
        look="ghost"
        small
        icon="bolt"
        aria-label={`Run ${name} now`}
        title="Run now"
        onClick={(event) => {
          event.stopPropagation()
          void fireNow(id)
        }}
      />
      <Button
        look="ghost"
        small
        icon={paused ? 'play' : 'pause'}
        aria-label={paused ? `Resume ${name}` : `Pause ${name}`}
        title={paused ? 'Resume' : 'Pause'}
        onClick={(event) => {
          event.stopPropagation()
          void setStatus(id, paused ? 'active' : 'paused')
        }}
      />
    </span>
  )
}
