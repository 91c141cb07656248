import { type FormEvent, type ReactNode, useState } from 'react'
import type { Board } from '../../../../src/contract/runs.ts'
import { server } from '../../live/server.ts'
import { attempt, Button } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'

/** A message to the coordinator, to a worker, or to everyone in the run. */
export function WriteToRun({ board: { run, workers }, close }: { board: Board; close: () => void }): ReactNode {
  const [to, setTo] = useState('coordinator')
  const [content, setContent] = useState('')
  // The same message is not sent twice by a second try.
  const [clientId, setClientId] = useState(() => crypto.randomUUID())
  useKeys({ Escape: close })
  async function send(event?: FormEvent): Promise<void> {
    event?.preventDefault()
    if (content.trim() === '') return
    const body = { to, content, clientId }
    if (!(await attempt(() => server.call('POST /api/runs/{id}/messages', { params: { id: run.id }, body })))) return
    setContent('')
    setClientId(crypto.randomUUID())
    close()
  }
  return (
    <form className="write-run" onSubmit={send} aria-label="Message the run">
      <label>
        <span className="sr">To</span>
        <select className="field" value={to} onChange={(event) => setTo(event.target.value)}>
          <option value="coordinator">To the coordinator</option>
          {workers
            .filter(({ status }) => status !== 'retired')
            .map(({ name }) => (
              <option key={name} value={name}>
                To {name}
              </option>
            ))}
          <option value="*">To everyone</option>
        </select>
      </label>
      <textarea
        className="field grow"
        rows={1}
        // biome-ignore lint/a11y/noAutofocus: it was opened to be written in
        autoFocus
        aria-label="Message"
        placeholder="What should they know?"
        value={content}
        onChange={(event) => setContent(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          void send()
        }}
      />
      <Button look="ghost" onClick={close}>
        Cancel
      </Button>
      <Button look="primary" type="submit" keys="↵" disabled={content.trim() === ''}>
        Send
      </Button>
    </form>
  )
}
