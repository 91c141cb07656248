import { type FormEvent, type ReactNode, useState } from 'react'
import type { Agent } from '../../../../src/contract/agents.ts'
import { failureOf } from '../../live/resource.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Button } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useHere } from '../../shell/here.tsx'
import { putAgent } from '../../state/agents.ts'
import { Field } from './fields.tsx'

const NEW = { definition: {}, prose: { agent: '', soul: '', goal: '' } }

/** A name, a sentence, and where it is kept; the rest is written on its own page. */
export function NewAgent({ agents, close }: { agents: readonly Agent[]; close: () => void }): ReactNode {
  const { path } = useHere()
  const [, put] = useAddress()
  const [wrong, setWrong] = useState<string>()

  async function make(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string): string => String(form.get(name) ?? '').trim()
    const name = text('name')
    if (agents.some((one) => one.name === name && one.source !== 'built-in'))
      return setWrong(`There is an agent "${name}" already.`)
    const like = agents.find((one) => one.name === text('like')) ?? NEW
    const { name: _, ...copied } = like.definition as Agent['definition']
    const description = text('description')
    const draft = { prose: like.prose, definition: { ...copied, ...(description && { description }) } }
    try {
      await putAgent(path, name, draft, text('where') as 'project' | 'global')
      close()
      put({ agent: name })
    } catch (thrown) {
      const { message, hint } = failureOf(thrown)
      setWrong([message, hint].filter(Boolean).join(' '))
    }
  }

  return (
    <Dialog label="New agent" className="new-run" close={close}>
      <form onSubmit={make}>
        <h2>New agent</h2>
        <Field label="Name" hint="lowercase letters, digits and dashes">
          {(id) => <input id={id} className="field" name="name" required maxLength={64} autoComplete="off" />}
        </Field>
        <Field label="What is it for?" hint="other agents see this">
          {(id) => <input id={id} className="field" name="description" maxLength={2000} />}
        </Field>
        <div className="fields">
          <Field label="Begin with">
            {(id) => (
              <select id={id} className="field" name="like" defaultValue="">
                <option value="">nothing</option>
                {agents
                  .filter(({ broken }) => !broken)
                  .map(({ name }) => (
                    <option key={name} value={name}>
                      a copy of {name}
                    </option>
                  ))}
              </select>
            )}
          </Field>
          <Field label="Where">
            {(id) => (
              <select id={id} className="field" name="where" defaultValue="project">
                <option value="project">this project</option>
                <option value="global">all your projects</option>
              </select>
            )}
          </Field>
        </div>
        {wrong && (
          <p className="wrong" role="alert">
            {wrong}
          </p>
        )}
        <div className="acts">
          <Button look="ghost" onClick={close}>
            Cancel
          </Button>
          <Button look="primary" type="submit">
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
