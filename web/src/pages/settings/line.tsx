import { type FormEvent, type ReactNode, useState } from 'react'
import { failureOf } from '../../live/resource.ts'
import { Button } from '../../parts/small.tsx'
import { useHere } from '../../shell/here.tsx'
import { patchSetting, type SettingRow, typed, type Where, wordsOf } from '../../state/settings.ts'
import { Field } from '../agents/fields.tsx'

const sources = {
  flag: 'a flag of this server',
  environment: 'the environment',
  'project-local': 'the project, only yours',
  project: 'the project',
  home: 'your settings',
  default: 'default',
} as const

const HIDDEN = '(hidden)'

/** One key: its value, where it comes from; opens to be changed. */
export function SettingLine({
  row,
  open,
  toggle,
  changed,
}: {
  row: SettingRow
  open: boolean
  toggle: () => void
  changed: () => void
}): ReactNode {
  const { key, setting, schema } = row
  return (
    <div className={`setting${open ? ' open' : ''}`}>
      <button type="button" className="setting-row" aria-expanded={open} onClick={toggle}>
        <span className="mono setting-key">{key}</span>
        <span className="mono cut grow">
          {setting ? shownAs(setting.value) : <span className="mute">not set</span>}
        </span>
        <span className="mute small setting-from" title={setting?.file}>
          {setting && sources[setting.source]}
        </span>
      </button>
      {open && (
        <div className="setting-edit">
          {schema?.description && <p className="soft">{schema.description}</p>}
          <Edit row={row} done={changed} />
        </div>
      )}
    </div>
  )
}

function Edit({ row: { key, setting, schema }, done }: { row: SettingRow; done: () => void }): ReactNode {
  const { path } = useHere()
  const [wrong, setWrong] = useState<string>()
  const words = wordsOf(schema)
  const now = setting === undefined || shownAs(setting.value).includes(HIDDEN) ? '' : textOf(setting.value)
  const hidden = setting !== undefined && shownAs(setting.value).includes(HIDDEN)
  const from = setting?.source
  const own = from === 'home' || from === 'project' || from === 'project-local' ? from : undefined
  const [where, setWhere] = useState<Where>(own ?? 'home')

  async function put(value: unknown, place: Where): Promise<void> {
    try {
      await patchSetting(path, place, key, value)
      setWrong(undefined)
      done()
    } catch (thrown) {
      const { message, hint } = failureOf(thrown)
      setWrong([message, hint].filter(Boolean).join(' '))
    }
  }
  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('value') ?? '')
    let value: unknown
    try {
      value = typed(text, schema)
    } catch {
      return setWrong('This must be JSON: a list in […] or a group in {…}, with texts in quotes.')
    }
    await put(value, where)
  }
  const long = now.includes('\n')
  return (
    <form onSubmit={save}>
      <div className="setting-fields">
        <Field label="Value" {...(hidden && { hint: 'it is there and not shown; what you write takes its place' })}>
          {(id) =>
            words ? (
              <select id={id} className="field" name="value" defaultValue={now}>
                {words.map((word) => (
                  <option key={word}>{word}</option>
                ))}
              </select>
            ) : long ? (
              <textarea
                id={id}
                className="field area mono"
                name="value"
                rows={6}
                defaultValue={now}
                spellCheck={false}
              />
            ) : (
              <input
                id={id}
                className={`field mono${wrong ? ' bad' : ''}`}
                name="value"
                type={hidden ? 'password' : 'text'}
                autoComplete="off"
                defaultValue={now}
                spellCheck={false}
              />
            )
          }
        </Field>
        <Field label="Written to">
          {(id) => (
            <select id={id} className="field" value={where} onChange={(event) => setWhere(event.target.value as Where)}>
              <option value="home">your settings (all projects)</option>
              <option value="project">.troupe/settings.json of the project</option>
              <option value="project-local">.troupe/settings.local.json of the project</option>
            </select>
          )}
        </Field>
        <Button look="primary" type="submit">
          Set
        </Button>
        {own && (
          <Button onClick={() => put(null, own)} title={`Removes it from ${setting?.file ?? own}`}>
            Remove
          </Button>
        )}
      </div>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
      {(from === 'flag' || from === 'environment') && (
        <p className="mute small">It is given by {sources[from]}, which is stronger than every file.</p>
      )}
      {setting?.file && <p className="mute small">Now in {setting.file}.</p>}
    </form>
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
const shownAs = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
