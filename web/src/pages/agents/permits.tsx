import { type ReactNode, useState } from 'react'
import type { AgentFile, Problem } from '../../../../src/contract/agents.ts'
import type { ToolInfo } from '../../../../src/contract/tools.ts'
import { Choice, Tabs } from '../../parts/choice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Button, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useHere } from '../../shell/here.tsx'
import { problemsAt, useTools } from '../../state/agents.ts'
import { rulesAbout, type ToolChoice, toolStanding, withTool } from '../../state/tool-scope.ts'
import type { DraftState } from './draft.ts'

const choices = [
  { value: 'off', label: 'Off', icon: 'ban', tone: 'off' },
  { value: 'ask', label: 'Ask', icon: 'question', tone: 'ask' },
  { value: 'allow', label: 'Allow', icon: 'check', tone: 'good' },
] as const

interface Props {
  readonly draft: DraftState
  readonly problems: readonly Problem[]
  readonly fixed: boolean
}

/** Its tools, each with the rule that decides; and the whole definition as it is written. */
export function Permits({ draft, problems, fixed }: Props): ReactNode {
  const [{ tab = 'tools' }, put] = useAddress()
  const tools = useTools(useHere().path)
  const [filter, setFilter] = useState('')
  const shown = tools.value?.filter(({ name }) => name.includes(filter.trim().toLowerCase()))
  return (
    <section className="agent-col agent-permits" aria-label="What it may do">
      <div className="agent-col-h">
        <Tabs
          value={tab}
          choose={(next) => put({ tab: next === 'tools' ? undefined : next }, { replace: true })}
          tabs={[
            { value: 'tools', label: 'Tools', count: draft.preview?.tools?.length },
            { value: 'file', label: 'agent.json' },
          ]}
        />
        {tab === 'tools' && (
          <label className="field quiet right">
            <Icon name="search" small />
            <input
              className="bare"
              type="search"
              aria-label="Filter the tools"
              placeholder="Filter"
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          </label>
        )}
      </div>
      {tab === 'file' ? (
        <Definition draft={draft} fixed={fixed} />
      ) : (
        <>
          {problemsAt(problems, 'tools').map(({ message, field }) => (
            <p key={`${field}${message}`} className="wrong pad-x">
              {message} <code className="mute">{field}</code>
            </p>
          ))}
          {tools.failure && <Failed failure={tools.failure} retry={tools.refresh} />}
          {shown === undefined && !tools.failure && <Skeleton rows={8} />}
          {shown?.map((tool) => (
            <Row key={tool.name} tool={tool} draft={draft} fixed={fixed} />
          ))}
          {shown?.length === 0 && <p className="mute pad-x">No tool has this in its name.</p>}
        </>
      )}
    </section>
  )
}

function Row({ tool, draft, fixed }: { tool: ToolInfo; draft: DraftState; fixed: boolean }): ReactNode {
  const { definition } = draft.value
  const { choice, because, own } = toolStanding(definition, tool.name, draft.preview)
  const rules = rulesAbout(definition, tool.name)
  const choose = (next: ToolChoice | undefined) => draft.define((before) => withTool(before, tool.name, next))
  return (
    <div className="permit">
      <div className="grow">
        <span className="mono permit-name" title={tool.description}>
          {tool.name}
        </span>
        <span className="small mute permit-why">
          {because.replace(`${tool.name} `, '') || tool.capabilities.join(', ')}
          {tool.source !== 'built-in' && ` · ${tool.source} ${tool.place}`}
        </span>
        {rules.length > 0 && (
          <span className="permit-rules">
            {rules.map(({ decision, rule }) => (
              <span key={`${decision} ${rule}`} className="tag mono" title={`permissions.${decision}`}>
                <Icon name={decision === 'allow' ? 'check' : decision === 'ask' ? 'question' : 'ban'} small />
                {rule}
              </span>
            ))}
          </span>
        )}
      </div>
      {own && !fixed && (
        <Button
          look="ghost"
          small
          icon="retry"
          title="Leave it to the defaults and the other rules"
          aria-label={`Leave ${tool.name} to the defaults`}
          onClick={() => choose(undefined)}
        />
      )}
      <Choice label={tool.name} options={choices} value={choice} choose={choose} disabled={fixed} />
    </div>
  )
}

/** Every field, as JSON. What cannot be read is not taken over, and said. */
function Definition({ draft, fixed }: { draft: DraftState; fixed: boolean }): ReactNode {
  const made = JSON.stringify(draft.value.definition, null, 2)
  const [text, setText] = useState<string>()
  const shown = draft.wrong === undefined && (text === undefined || !isSame(text, made)) ? made : (text ?? made)
  function take(next: string): void {
    setText(next)
    try {
      const definition = JSON.parse(next) as AgentFile
      draft.setWrong(undefined)
      draft.define(() => definition)
    } catch (thrown) {
      draft.setWrong((thrown as Error).message)
    }
  }
  return (
    <div className="agent-file">
      <textarea
        className="field area mono"
        aria-label="agent.json"
        spellCheck={false}
        readOnly={fixed}
        value={shown}
        onChange={(event) => take(event.target.value)}
      />
      {draft.wrong && (
        <p className="wrong" role="alert">
          This is no JSON yet: {draft.wrong}
        </p>
      )}
    </div>
  )
}

const isSame = (text: string, made: string): boolean => {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(made))
  } catch {
    return true
  }
}
