import { type ReactNode, useState } from 'react'
import type { AgentPreview } from '../../../../src/contract/agent-preview.ts'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton } from '../../parts/small.tsx'
import { useHere } from '../../shell/here.tsx'
import { useModels } from '../../state/agents.ts'

/** What a new session of it would be told before anything else, and what each part costs in tokens. */
export function PromptView({
  preview,
  model,
}: {
  preview: AgentPreview | undefined
  model: string | undefined
}): ReactNode {
  const models = useModels(useHere().path).value
  const [open, setOpen] = useState<string>()
  const prompt = preview?.prompt
  const window = models?.find(({ name, isDefault }) =>
    model === undefined ? isDefault : name === model,
  )?.contextWindow
  const most = Math.max(1, ...(prompt?.sections.map(({ tokens }) => tokens) ?? []))
  return (
    <section className="agent-col agent-prompt" aria-label="Prompt">
      <div className="agent-col-h">
        <h2 className="strong">Prompt</h2>
        {prompt && (
          <span className="right mute small num">
            {prompt.tokens.toLocaleString('en')} tokens
            {window !== undefined && `, ${Math.ceil((100 * prompt.tokens) / window)}% of the window`}
          </span>
        )}
      </div>
      {preview === undefined && <Skeleton rows={6} />}
      {preview?.broken && (
        <p className="mute pad-x">
          An agent with a broken definition has no prompt. Its problems stand at their fields.
        </p>
      )}
      {prompt?.sections.map(({ tag, text, tokens }, at) => {
        const key = `${tag} ${at}`
        const isOpen = open === key
        return (
          <div key={key}>
            <button
              type="button"
              className="prompt-row"
              aria-expanded={isOpen}
              onClick={() => setOpen(isOpen ? undefined : key)}
            >
              <Icon name={isOpen ? 'down' : 'right'} small />
              <span className="cut grow">{tag}</span>
              <span className="prompt-bar">
                <i style={{ width: `${(100 * tokens) / most}%` }} />
              </span>
              <span className="num prompt-count">{tokens.toLocaleString('en')}</span>
            </button>
            {isOpen && <pre className="cmd prompt-text">{text}</pre>}
          </div>
        )
      })}
    </section>
  )
}
