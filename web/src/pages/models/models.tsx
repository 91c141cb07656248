import '../../styles/models.css'
import { type ReactNode, useState } from 'react'
import type { Model } from '../../../../src/contract/models.ts'
import { server } from '../../live/server.ts'
import { tokens } from '../../parts/figures.tsx'
import { State } from '../../parts/icon.tsx'
import { attempt, Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { ProjectCrumb, useHere } from '../../shell/here.tsx'
import { Page } from '../../shell/page.tsx'
import { refreshModels, useModels } from '../../state/agents.ts'
import { standings } from '../../state/standing.ts'
import { Accounts } from './accounts.tsx'

/** More rows than this are not drawn: a filter finds the others. */
const SHOWN = 300

/** Which models there are, what they cost, and with which credentials. */
export function Models(): ReactNode {
  const [{ q = '', all }, put] = useAddress()
  const { path } = useHere()
  const { value, failure, refresh } = useModels(path)
  const [updated, setUpdated] = useState<string>()
  const words = q.trim().toLowerCase()
  const usable = value?.some((one) => one.usable) ?? false
  const fitting = value?.filter((one) => one.name.toLowerCase().includes(words) && (all || one.usable || !usable))
  const update = () =>
    attempt(async () => {
      const { models, from } = await server.call('POST /api/models/update', { query: { project: path } })
      setUpdated(`Prices of ${models.toLocaleString('en')} models, from ${from}.`)
      refreshModels(path)
    })
  const makeDefault = (name: string) =>
    attempt(async () => {
      await server.call('PATCH /api/settings', {
        query: { project: path },
        body: { where: 'home', changes: { defaultModel: name } },
      })
      refreshModels(path)
    })
  return (
    <Page
      title="Models and accounts"
      crumbs={<ProjectCrumb />}
      aside={
        <>
          {updated && <span className="mute small">{updated}</span>}
          <Button
            onClick={update}
            title="Fetches the newest prices and windows; nothing else leaves this machine for it"
          >
            Update prices
          </Button>
        </>
      }
    >
      <Accounts />
      <div className="models-h">
        <h2 className="strong">Models</h2>
        <input
          className="field quiet"
          type="search"
          aria-label="Filter the models"
          placeholder="Filter"
          value={q}
          onChange={(event) => put({ q: event.target.value }, { replace: true })}
        />
        {usable && (
          <label className="models-all">
            <input
              type="checkbox"
              checked={all !== undefined}
              onChange={({ target }) => put({ all: target.checked ? '1' : undefined }, { replace: true })}
            />
            also those that cannot be used
          </label>
        )}
      </div>
      {failure && <Failed failure={failure} retry={refresh} />}
      {value === undefined && !failure && <Skeleton rows={6} />}
      {fitting?.length === 0 && (
        <div className="pad-view">
          <Empty title="No model has this in its name." />
        </div>
      )}
      {fitting && fitting.length > 0 && (
        <table className="table models">
          <thead>
            <tr>
              <th>Model</th>
              <th className="models-state">State</th>
              <th className="models-fig r wide">Window</th>
              <th className="models-fig r wide" title="USD per million tokens">
                In, per 1M
              </th>
              <th className="models-fig r wide" title="USD per million tokens">
                Out, per 1M
              </th>
              <th className="models-act r">Default</th>
            </tr>
          </thead>
          <tbody>
            {fitting.slice(0, SHOWN).map((model) => (
              <Row key={model.name} model={model} makeDefault={makeDefault} />
            ))}
          </tbody>
        </table>
      )}
      {fitting && fitting.length > SHOWN && (
        <p className="mute pad-x">{fitting.length - SHOWN} more; filter to see them.</p>
      )}
    </Page>
  )
}

function Row({ model, makeDefault }: { model: Model; makeDefault: (name: string) => void }): ReactNode {
  const { name, usable, reason, contextWindow, price, isDefault } = model
  return (
    <tr>
      <td className="mono" title={name}>
        {name}
      </td>
      <td title={reason}>
        <State
          standing={usable ? standings.idle : standings.paused}
          word={usable ? 'usable' : (reason ?? 'not usable')}
        />
      </td>
      <td className="r wide">{contextWindow === undefined ? <Unknown /> : tokens(contextWindow)}</td>
      <td className="r wide">{price === undefined ? <Unknown /> : `$${price.input}`}</td>
      <td className="r wide">{price === undefined ? <Unknown /> : `$${price.output}`}</td>
      <td className="r">
        {isDefault ? (
          <span className="tag">default</span>
        ) : (
          usable && (
            <Button small look="ghost" onClick={() => makeDefault(name)}>
              Make default
            </Button>
          )
        )}
      </td>
    </tr>
  )
}

const Unknown = (): ReactNode => <span className="mute">unknown</span>
