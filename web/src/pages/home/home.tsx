import '../../styles/home.css'
import type { ReactNode } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { Button, Failed, Skeleton } from '../../parts/small.tsx'
import { Page } from '../../shell/page.tsx'
import { shell } from '../../shell/shell-state.ts'
import { useRuns } from '../../state/runs.ts'
import { useSessions } from '../../state/sessions.ts'
import { AccountsNow } from './accounts.tsx'
import { DoneLately } from './done.tsx'
import { FirstVisit } from './first-visit.tsx'
import { Lead } from './lead.tsx'
import { Needs } from './needs.tsx'
import { Next } from './next.tsx'
import { PresenceButtons } from './presence.tsx'
import { SaidLately } from './said.tsx'
import { Spent } from './spent.tsx'
import { Working } from './working.tsx'

/** What needs me, what is running, what does it cost. */
export function Home(): ReactNode {
  const runs = useRuns()
  const sessions = useSessions()
  const failure = runs.failure ?? sessions.failure
  if (runs.value === undefined || sessions.value === undefined)
    return (
      <Page title="Home">{failure ? <Failed failure={failure} retry={runs.refresh} /> : <Skeleton rows={6} />}</Page>
    )
  if (runs.value.length === 0 && !sessions.value.some(hasBegun)) return <FirstVisit />
  return (
    <Page
      title="Home"
      crumbs={undefined}
      className="home"
      aside={
        <>
          <PresenceButtons />
          <Button look="primary" icon="plus" keys="c" onClick={() => shell.open('new-run')}>
            New run
          </Button>
        </>
      }
    >
      <Lead />
      <div className="home-main">
        <Needs />
        <Working />
        <SaidLately />
      </div>
      <aside className="home-aside" aria-label="Cost and what is next">
        <Spent />
        <DoneLately />
        <Next />
        <AccountsNow />
      </aside>
    </Page>
  )
}

const hasBegun = ({ messageCount, status }: Session): boolean => messageCount > 0 || status !== 'idle'
