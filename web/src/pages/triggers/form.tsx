import { type FormEvent, type ReactNode, useState } from 'react'
import type { ChangeTrigger, CreateTrigger, Trigger, TriggerType } from '../../../../src/contract/triggers.ts'
import { failureOf } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Button } from '../../parts/small.tsx'
import { useAddress } from '../../state/address.ts'
import { useProjects } from '../../state/projects.ts'
import {
  actionFields,
  actionNames,
  type Field,
  type GivenActionType,
  place,
  textAt,
  whenFields,
  whenNames,
} from './form-fields.ts'

type Errors = Readonly<Record<string, string>>

const name: Field = { path: 'name', label: 'Name', hint: 'how you know it' }
const maxFires: Field = { path: 'maxFires', label: 'At most so many times', kind: 'number', hint: 'no limit' }

/** Makes a trigger, or changes one; what the server finds wrong stands at its field. */
export function TriggerForm({ trigger, done }: { trigger?: Trigger; done(made?: Trigger): void }): ReactNode {
  const [{ project }] = useAddress()
  const projects = useProjects().value ?? []
  const [type, setType] = useState<TriggerType>(trigger?.type ?? 'scheduled')
  const given = trigger?.action.type as GivenActionType | 'tick' | undefined
  const [action, setAction] = useState<GivenActionType>(given === undefined || given === 'tick' ? 'send' : given)
  const [errors, setErrors] = useState<Errors>({})
  const [busy, setBusy] = useState(false)
  const [clientId] = useState(() => crypto.randomUUID())
  const fields = [name, ...whenFields[type], ...(given === 'tick' ? [] : actionFields[action]), maxFires]

  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const body: Record<string, unknown> = { catchUp: form.get('catchUp') }
    for (const field of fields) place(body, field, String(form.get(field.path) ?? ''))
    if (given !== 'tick') body.action = { ...kept(trigger, action), ...(body.action as object), type: action }
    const config = (body.config ?? {}) as Record<string, unknown>
    setBusy(true)
    try {
      done(
        trigger
          ? await change(trigger, { ...body, when: { type, config }, config: undefined })
          : await make({ ...body, type, config, clientId }, String(form.get('project') ?? '')),
      )
    } catch (thrown) {
      setErrors(errorsOf(thrown, fields))
    }
    setBusy(false)
  }

  return (
    <form className="trig-form" onSubmit={save}>
      {!trigger && (
        <>
          <h2>New trigger</h2>
          <label>
            Project
            <select name="project" className="field" defaultValue={project}>
              {projects.map(({ id, path, name: called }) => (
                <option key={id} value={path}>
                  {called}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
      <Input field={name} trigger={trigger} error={errors.name} />
      <label>
        When
        <select className="field" value={type} onChange={(event) => setType(event.target.value as TriggerType)}>
          {Object.entries(whenNames).map(([key, word]) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </select>
      </label>
      {whenFields[type].map((field) => (
        <Input key={field.path} field={field} trigger={trigger} error={errors[field.path]} />
      ))}
      {given !== 'tick' && (
        <>
          <label>
            Then
            <select
              className="field"
              value={action}
              onChange={(event) => setAction(event.target.value as GivenActionType)}
            >
              {Object.entries(actionNames).map(([key, word]) => (
                <option key={key} value={key}>
                  {word}
                </option>
              ))}
            </select>
          </label>
          {actionFields[action].map((field) => (
            <Input key={field.path} field={field} trigger={trigger} error={errors[field.path]} />
          ))}
        </>
      )}
      <label>
        What was missed while nothing ran
        <select name="catchUp" className="field" defaultValue={trigger?.catchUp ?? 'one'}>
          <option value="one">make up for the last one</option>
          <option value="none">leave it</option>
          <option value="all">make up for all</option>
        </select>
      </label>
      <Input field={maxFires} trigger={trigger} error={errors.maxFires} />
      {errors[''] && (
        <p className="trig-error" role="alert">
          {errors['']}
        </p>
      )}
      <div className="trig-foot">
        <Button look="ghost" onClick={() => done()}>
          Cancel
        </Button>
        <Button look="primary" type="submit" disabled={busy}>
          {trigger ? 'Save' : 'Make it'}
        </Button>
      </div>
    </form>
  )
}

/** What the form has no field for stays as it was while the action is of the same kind. */
const kept = (trigger: Trigger | undefined, type: GivenActionType): object =>
  trigger?.action.type === type ? trigger.action : {}

// The form's words become what the contract says; the server checks them and names the field that is wrong.
const make = (body: object, project: string): Promise<Trigger> =>
  server.call('POST /api/triggers', { query: { project: project || undefined }, body: body as CreateTrigger })

const change = ({ id }: Trigger, body: object): Promise<Trigger> =>
  server.call('PATCH /api/triggers/{id}', { params: { id }, body: body as ChangeTrigger })

/** Each sentence at its field; what belongs to none stands above the buttons. */
function errorsOf(thrown: unknown, fields: readonly Field[]): Errors {
  const { message, hint, details } = failureOf(thrown)
  const issues = (details as { issues?: { field: string; message: string }[] } | undefined)?.issues ?? []
  const placed = issues.flatMap(({ field, message: says }) => {
    const bare = field.replace(/^when\./, '')
    const at = fields.find(({ path }) => path === bare || bare.startsWith(`${path}.`))
    return at ? [[at.path, says] as const] : []
  })
  const said = [message, hint].filter(Boolean).join(' ')
  const named = fields.find(({ path }) => message.startsWith(`${path}: `))
  if (named) return { [named.path]: said.slice(named.path.length + 2) }
  return placed.length > 0 ? Object.fromEntries(placed) : { '': said }
}

function Input({ field, trigger, error }: { field: Field; trigger?: Trigger | undefined; error: string | undefined }) {
  const { path, label, hint, kind, required = false } = field
  const shared = {
    id: path,
    name: path,
    required,
    placeholder: hint,
    defaultValue: textAt(trigger, field),
    'aria-invalid': error !== undefined,
    ...(error !== undefined && { 'aria-describedby': `${path}-error` }),
  }
  return (
    <label htmlFor={path}>
      {label}
      {kind === 'long' ? (
        <textarea {...shared} rows={4} className={error ? 'bad' : ''} />
      ) : (
        <input
          {...shared}
          className={`field${error ? ' bad' : ''}`}
          type={kind === 'datetime' ? 'datetime-local' : 'text'}
          inputMode={kind === 'number' ? 'numeric' : undefined}
          pattern={kind === 'number' ? '[0-9]+' : undefined}
        />
      )}
      {error && (
        <span className="trig-error" id={`${path}-error`} role="alert">
          {error}
        </span>
      )}
    </label>
  )
}
