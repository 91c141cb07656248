import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AccountState } from '../../../../src/contract/models.ts'
import { State } from '../../parts/icon.tsx'
import { nowOfAccount, useAccounts } from '../../state/accounts.ts'
import { Head } from './head.tsx'

const SHOWN = 4

/** With whose keys they work, those that cannot be used now first. */
export function AccountsNow(): ReactNode {
  const accounts = useAccounts(undefined).value ?? []
  if (accounts.length === 0) return null
  return (
    <section aria-label="Accounts">
      <Head title="Accounts" to="/models" more="Models and accounts" keys={['g', 'o']} />
      <div className="card home-lines">
        {accounts
          .toSorted((a, b) => troubled(b) - troubled(a))
          .slice(0, SHOWN)
          .map((account) => (
            <Link key={`${account.provider} ${account.name}`} className="li" to="/models" title={account.reason}>
              <span className="cut grow">
                {account.provider}, {account.name}
              </span>
              {account.waiting > 0 && <span className="small mute num">{account.waiting} wait</span>}
              <span className="small cut">
                <State {...nowOfAccount(account)} />
              </span>
            </Link>
          ))}
      </div>
    </section>
  )
}

const troubled = ({ usable, closedUntil, exhaustedUntil, waiting }: AccountState): number =>
  (usable && closedUntil === undefined ? 0 : 4) + (exhaustedUntil === undefined ? 0 : 2) + (waiting > 0 ? 1 : 0)
