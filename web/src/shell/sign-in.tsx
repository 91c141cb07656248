import { type FormEvent, type ReactNode, useState } from 'react'
import type { CallFailure } from '../../../src/client/failure.ts'
import { failureOf } from '../live/resource.ts'
import { signIn } from '../live/server.ts'
import { Mark } from './mark.tsx'

/** A link that the server knows no more is replaced by a new one. */
const inWords = ({ kind, message }: CallFailure): string =>
  kind === 'refused' ? `${message} "troupe open" makes a new one.` : message

/** Nobody is signed in here. `refused` says why a link did not help. */
export function SignIn({ refused }: { refused?: CallFailure }): ReactNode {
  const [failure, setFailure] = useState(refused && inWords(refused))
  async function enter(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const given = String(new FormData(event.currentTarget).get('code')).trim()
    await signIn(given.split('code=').at(-1)!).catch((thrown) => setFailure(inWords(failureOf(thrown))))
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
        {failure && <p role="alert">{failure}</p>}
        <button type="submit" className="btn primary">
          Sign in
        </button>
      </form>
    </main>
  )
}
