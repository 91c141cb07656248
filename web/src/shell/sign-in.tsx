import { type FormEvent, type ReactNode, useState } from 'react'
import { failureOf } from '../live/resource.ts'
import { signIn } from '../live/server.ts'
import { Mark } from './mark.tsx'

/** Nobody is signed in here. `refused` says why a link did not help. */
export function SignIn({ refused }: { refused?: string }): ReactNode {
  const [failure, setFailure] = useState(refused)
  async function enter(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const given = String(new FormData(event.currentTarget).get('code')).trim()
    await signIn(given.split('code=').at(-1)!).catch((thrown) => setFailure(failureOf(thrown).message))
  }
  return (
    <main className="sign-in">
      <Mark />
      <h1>Sign in to Troupe</h1>
      <p>
        Type <code>troupe open</code> in a terminal on the machine where Troupe runs. It opens this page for you, or
        prints a link that works once, for five minutes.
      </p>
      <form onSubmit={enter}>
        <label>
          Or paste the link or its code here
          <input className="field" name="code" autoComplete="off" required />
        </label>
        {failure && <p role="alert">{failure} "troupe open" makes a new one.</p>}
        <button type="submit" className="btn primary">
          Sign in
        </button>
      </form>
    </main>
  )
}
