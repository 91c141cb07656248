import { type FormEvent, type ReactNode, useState } from 'react'
import { failureOf } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { State } from '../../parts/icon.tsx'
import { Button, Failed, Skeleton } from '../../parts/small.tsx'
import { useHere } from '../../shell/here.tsx'
import { nowOfAccount, useAccounts } from '../../state/accounts.ts'
import { refreshModels } from '../../state/agents.ts'
import { Field } from '../agents/fields.tsx'

/** Whose key is used for what, and what waits for it. A key is written and never read back. */
export function Accounts(): ReactNode {
  const { path } = useHere()
  const { value, failure, refresh } = useAccounts(path)
  const [entering, setEntering] = useState(false)
  return (
    <section aria-label="Accounts">
      <div className="models-h">
        <h2 className="strong">Accounts</h2>
        <Button small className="right" icon="key" aria-expanded={entering} onClick={() => setEntering(!entering)}>
          Enter a key
        </Button>
      </div>
      {entering && (
        <EnterKey
          providers={[...new Set(value?.map(({ provider }) => provider))]}
          done={() => {
            setEntering(false)
            refresh()
            refreshModels(path)
          }}
        />
      )}
      {failure && <Failed failure={failure} retry={refresh} />}
      {value === undefined && !failure && <Skeleton />}
      {value?.length === 0 && (
        <p className="mute pad-x">
          No provider has a key. Enter one, or set its variable, such as ANTHROPIC_API_KEY, before Troupe is started.
        </p>
      )}
      {value && value.length > 0 && (
        <table className="table">
          <thead>
            <tr>
              <th>Provider</th>
              <th className="wide">Account</th>
              <th>State</th>
              <th className="models-fig r">Waiting</th>
            </tr>
          </thead>
          <tbody>
            {value.map((account) => (
              <tr key={`${account.provider} ${account.name}`}>
                <td className="med">{account.provider}</td>
                <td className="mono wide">{account.name}</td>
                <td title={account.reason}>
                  <State {...nowOfAccount(account)} />
                </td>
                <td className="r">{account.waiting}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

const vendors = ['anthropic', 'openai', 'google', 'openrouter'] as const

function EnterKey({ providers, done }: { providers: readonly string[]; done: () => void }): ReactNode {
  const { path } = useHere()
  const [wrong, setWrong] = useState<string>()
  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const key = `providers.${String(form.get('provider'))}.apiKey`
    try {
      const changes = { [key]: String(form.get('key')).trim() }
      await server.call('PATCH /api/settings', { query: { project: path }, body: { where: 'home', changes } })
      done()
    } catch (thrown) {
      const { message, hint } = failureOf(thrown)
      setWrong([message, hint].filter(Boolean).join(' '))
    }
  }
  return (
    <form className="enter-key" onSubmit={save} autoComplete="off">
      <Field label="Provider">
        {(id) => (
          <select id={id} className="field" name="provider">
            {[...new Set([...vendors, ...providers])]
              .filter((name) => name !== 'demo' && name !== 'replay')
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        )}
      </Field>
      <Field label="Key" hint="kept in your settings file; it is not shown again">
        {(id) => (
          <input id={id} className="field" name="key" type="password" required autoComplete="off" spellCheck={false} />
        )}
      </Field>
      <Button look="primary" type="submit">
        Keep it
      </Button>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </form>
  )
}
