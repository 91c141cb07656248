import { type ReactNode, useState } from 'react'
import { Tabs } from '../../parts/choice.tsx'
import type { DraftState } from './draft.ts'

const files = [
  { value: 'agent', label: 'AGENT.md', says: 'Who it is and how it works.' },
  { value: 'soul', label: 'SOUL.md', says: 'How it speaks and what it values. May stay empty.' },
  { value: 'goal', label: 'GOAL.md', says: 'What it works towards. May stay empty.' },
] as const

/** The words of an agent, a file each. */
export function Prose({ draft, fixed }: { draft: DraftState; fixed: boolean }): ReactNode {
  const [file, setFile] = useState<(typeof files)[number]['value']>('agent')
  const { label, says } = files.find(({ value }) => value === file)!
  return (
    <div className="agent-prose">
      <Tabs tabs={files} value={file} choose={setFile} />
      <textarea
        className="field area mono"
        aria-label={label}
        placeholder={says}
        readOnly={fixed}
        value={draft.value.prose[file]}
        onChange={(event) => draft.write({ [file]: event.target.value })}
      />
    </div>
  )
}
