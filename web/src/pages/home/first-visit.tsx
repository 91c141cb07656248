import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { CreateRun } from '../../../../src/contract/runs.ts'
import type { Welcome } from '../../../../src/contract/welcome.ts'
import { type Resource, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { modKey } from '../../parts/mod-key.ts'
import { attempt, Button, Failed, Skeleton } from '../../parts/small.tsx'
import { Page } from '../../shell/page.tsx'
import { DemoPicture } from './demo-picture.tsx'
import { Found } from './found.tsx'

const welcome: Resource<Welcome> = { key: 'welcome', read: () => server.snapshot('GET /api/welcome', {}) }

/** Nothing ran here yet: a whole run in one click, an own goal in the next. */
export function FirstVisit(): ReactNode {
  const { value, failure, refresh } = useLive(welcome)
  const go = useNavigate()
  const [busy, setBusy] = useState(false)
  // A second click starts no second run.
  const [clientId] = useState(() => crypto.randomUUID())
  const start = async (body: Pick<CreateRun, 'goal'> & Partial<CreateRun>, kind: string): Promise<void> => {
    setBusy(true)
    await attempt(async () => {
      const run = await server.call('POST /api/runs', { body: { ...body, clientId: `${kind} ${clientId}` } })
      await go({ to: '/runs/$run', params: { run: run.id } })
    })
    setBusy(false)
  }
  return (
    <Page title="Home" className="first">
      <h2 className="home-lead">Nothing runs yet. Watch a team work, then give it a goal.</h2>
      <p className="first-sub">Everything is kept on this machine; only calls to the models you choose leave it.</p>
      <div className="first-main">
        <section className="card first-demo" aria-label="Demo">
          <DemoPicture />
          <div className="txt">
            <div className="grow">
              <h3>Watch a demo run</h3>
              <p className="soft">
                A scripted team plans, works, writes to each other and asks you one thing. Real tools, scripted model:
                no key, no network, nothing spent.
              </p>
            </div>
            <Button
              look="primary"
              icon="play"
              className="lg"
              autoFocus
              keys="↵"
              disabled={busy || value === undefined}
              onClick={() => value && void start(value.demo, 'demo')}
            >
              Start the demo
            </Button>
          </div>
        </section>
        <OwnGoal busy={busy} thinks={value?.thinks ?? true} start={(goal) => start({ goal }, 'goal')} />
      </div>
      <aside className="first-aside" aria-label="Found on this machine">
        <div className="home-head">
          <h2>Found on this machine</h2>
          <span className="right">
            <Button look="ghost" small onClick={refresh}>
              Look again
            </Button>
          </span>
        </div>
        {value === undefined ? (
          failure ? (
            <Failed failure={failure} retry={refresh} />
          ) : (
            <Skeleton />
          )
        ) : (
          <Found found={value} />
        )}
      </aside>
    </Page>
  )
}

function OwnGoal({
  busy,
  thinks,
  start,
}: {
  busy: boolean
  thinks: boolean
  start(goal: string): Promise<void>
}): ReactNode {
  const [goal, setGoal] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (goal.trim() !== '') void start(goal.trim())
  }
  return (
    <form className="card first-goal" onSubmit={submit}>
      <label htmlFor="goal">Or give your own goal</label>
      <textarea
        id="goal"
        rows={4}
        maxLength={100_000}
        value={goal}
        placeholder="What should be true when they are done?"
        onChange={(event) => setGoal(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit()
        }}
      />
      <div className="set">
        <span className="grow small mute">
          {thinks
            ? 'A coordinator plans it and finds workers; you can watch and speak up at any time.'
            : 'No model that thinks was found: the scripted demo model would answer. Add a key first.'}
        </span>
        <Button type="submit" disabled={busy || goal.trim() === ''} keys={modKey('↵')}>
          Start run
        </Button>
      </div>
    </form>
  )
}
