import { type ReactNode, useId } from 'react'
import type { AgentFile, Problem } from '../../../../src/contract/agents.ts'
import { Switch } from '../../parts/choice.tsx'
import { tokens } from '../../parts/figures.tsx'
import { Glyph } from '../../parts/icon.tsx'
import { useHere } from '../../shell/here.tsx'
import { problemsAt, useModels } from '../../state/agents.ts'
import { standings } from '../../state/standing.ts'
import type { DraftState } from './draft.ts'

const modes = ['chat', 'task', 'subagent', 'daemon'] as const
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

interface Props {
  readonly draft: DraftState
  readonly problems: readonly Problem[]
  readonly fixed: boolean
}

/** What is said most often about an agent; the rest is in agent.json. */
export function Fields({ draft, problems, fixed }: Props): ReactNode {
  const { definition } = draft.value
  const set = (change: Partial<AgentFile>) => draft.define((before) => ({ ...before, ...change }))
  const at = (field: string) => problemsAt(problems, field)
  return (
    <fieldset className="agent-fields" disabled={fixed}>
      <Field label="Description" hint="what other agents see" problems={at('description')}>
        {(id) => (
          <textarea
            id={id}
            className="field area"
            rows={2}
            maxLength={2000}
            value={definition.description ?? ''}
            onChange={(event) => set({ description: event.target.value })}
          />
        )}
      </Field>
      <Models draft={draft} problems={problems} fixed={fixed} />
      <Field label="May talk to" hint="names or patterns, with commas; empty is everybody" problems={at('agents')}>
        {(id) => (
          <input
            id={id}
            className="field"
            placeholder="everybody"
            value={definition.agents?.allow?.join(', ') ?? ''}
            onChange={(event) => set({ agents: { ...definition.agents, allow: listed(event.target.value) } })}
          />
        )}
      </Field>
      <div className="agent-three">
        <Figure
          draft={draft}
          field="maxIterations"
          label="Steps a turn"
          usual="50"
          problems={at('limits.maxIterations')}
        />
        <Figure
          draft={draft}
          field="maxCostUsd"
          label="$ a turn or task"
          usual="none"
          problems={at('limits.maxCostUsd')}
        />
        <Figure draft={draft} field="dailyCostUsd" label="$ a day" usual="none" problems={at('limits.dailyCostUsd')} />
      </div>
      <Field label="Reasoning" problems={at('reasoning')}>
        {(id) => (
          <select
            id={id}
            className="field"
            value={definition.reasoning ?? ''}
            onChange={(event) => set({ reasoning: (event.target.value || undefined) as AgentFile['reasoning'] })}
          >
            <option value="">as the model does by itself</option>
            {efforts.map((effort) => (
              <option key={effort}>{effort}</option>
            ))}
          </select>
        )}
      </Field>
      <div>
        <span className="label">Can be used for</span>
        <div className="agent-modes">
          {modes.map((mode) => (
            <Switch
              key={mode}
              label={mode}
              disabled={fixed}
              on={definition.modes?.[mode]?.enabled !== false}
              turn={(on) => {
                const { enabled: _, ...rest } = definition.modes?.[mode] ?? {}
                set({ modes: { ...definition.modes, [mode]: on ? rest : { ...rest, enabled: false } } })
              }}
            />
          ))}
        </div>
      </div>
    </fieldset>
  )
}

function Models({ draft, problems }: Props): ReactNode {
  const { definition } = draft.value
  const known = useModels(useHere().path).value ?? []
  const list = useId()
  const chosen = [definition.model ?? '', ...(definition.fallbackModels ?? [])]
  const put = (next: readonly string[]) => {
    const [model = '', ...rest] = next
    const fallbackModels = rest.filter(Boolean)
    draft.define((before) => ({
      ...before,
      model: model || undefined,
      fallbackModels: fallbackModels.length > 0 ? fallbackModels : undefined,
    }))
  }
  return (
    <div className="agent-models">
      <span className="label">
        Models <span className="mute">tried in this order</span>
      </span>
      <datalist id={list}>
        {known.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {[...chosen, ''].slice(0, 6).map((name, place) => {
        const model = known.find((one) => one.name === name)
        const field = place === 0 ? 'model' : `fallbackModels.${place - 1}`
        const own = problemsAt(problems, field)
        if (place > 0 && chosen[place - 1] === '') return null
        return (
          <div key={place}>
            <span className={`field${own.length > 0 || model?.usable === false ? ' bad' : ''}`}>
              <span className="mute num">{place + 1}</span>
              <input
                className="mono grow bare"
                list={list}
                value={name}
                aria-label={place === 0 ? 'Model' : `Model ${place + 1}`}
                placeholder={place === 0 ? 'the default model' : 'add another'}
                onChange={(event) => put(chosen.toSpliced(place, 1, event.target.value.trim()))}
              />
              <span className="mute tiny">
                {model?.contextWindow && tokens(model.contextWindow)}
                {model?.price && ` · $${model.price.input} / $${model.price.output}`}
              </span>
            </span>
            {model?.usable === false && <p className="wrong">{model.reason}</p>}
            <Wrong problems={own} />
          </div>
        )
      })}
    </div>
  )
}

function Figure({
  draft,
  field,
  label,
  usual,
  problems,
}: {
  draft: DraftState
  field: 'maxIterations' | 'maxCostUsd' | 'dailyCostUsd'
  label: string
  usual: string
  problems: readonly Problem[]
}): ReactNode {
  return (
    <Field label={label} problems={problems}>
      {(id) => (
        <input
          id={id}
          className="field num"
          inputMode="decimal"
          type="number"
          min={0}
          step="any"
          placeholder={usual}
          value={draft.value.definition.limits?.[field] ?? ''}
          onChange={({ target }) =>
            draft.define((before) => ({
              ...before,
              limits: { ...before.limits, [field]: target.value === '' ? undefined : Number(target.value) },
            }))
          }
        />
      )}
    </Field>
  )
}

export function Field({
  label,
  hint,
  problems = [],
  children,
}: {
  label: string
  hint?: string
  problems?: readonly Problem[]
  children: (id: string) => ReactNode
}): ReactNode {
  const id = useId()
  return (
    <div className="labelled">
      <label className="label" htmlFor={id}>
        {label} {hint && <span className="mute">{hint}</span>}
      </label>
      {children(id)}
      <Wrong problems={problems} />
    </div>
  )
}

function Wrong({ problems }: { problems: readonly Problem[] }): ReactNode {
  return problems.map(({ field, message }) => (
    <p key={`${field}${message}`} className="wrong" role="alert">
      <Glyph standing={standings.failed} />
      <span>
        {message} <code className="mute">{field}</code>
      </span>
    </p>
  ))
}

const listed = (text: string): string[] | undefined => {
  // A comma at the end is the beginning of the next name.
  const names = text.split(',').map((name) => name.trim())
  return names.length === 1 && names[0] === '' ? undefined : names
}
