import { type FormEvent, type ReactNode, useState } from 'react'
import { failureOf } from '../../live/resource.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Button } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useHere } from '../../shell/here.tsx'
import { useAgents } from '../../state/agents.ts'
import { type MemoryRef, refText, writeMemory } from '../../state/memory.ts'
import { Field } from '../agents/fields.tsx'

export function NewMemory({ close }: { close: () => void }): ReactNode {
  const { path } = useHere()
  const agents = useAgents(path).value ?? []
  const [, put] = useAddress()
  const [wrong, setWrong] = useState<string>()

  async function make(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const name = String(form.get('path')).trim()
    const [scope, agent] = String(form.get('whose')).split(' ')
    const ref = { scope, path: name.endsWith('.md') ? name : `${name}.md`, ...(agent && { agent }) } as MemoryRef
    try {
      await writeMemory(path, ref, `# ${name.replace(/\.md$/, '')}\n`)
      close()
      put({ file: refText(ref), edit: '1' })
    } catch (thrown) {
      const { message, hint } = failureOf(thrown)
      setWrong([message, hint].filter(Boolean).join(' '))
    }
  }

  return (
    <Dialog label="New memory file" className="new-run" close={close}>
      <form onSubmit={make}>
        <h2>New memory file</h2>
        <Field label="Name" hint="a Markdown file">
          {(id) => (
            <input id={id} className="field" name="path" required maxLength={200} placeholder="conventions.md" />
          )}
        </Field>
        <Field label="Whose">
          {(id) => (
            <select id={id} className="field" name="whose" defaultValue="project">
              <option value="project">the project's</option>
              <option value="user">yours, in all projects</option>
              {agents.map(({ name }) => (
                <option key={name} value={`agent ${name}`}>
                  {name}'s
                </option>
              ))}
            </select>
          )}
        </Field>
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
