import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Agent } from '../../../../src/contract/agents.ts'
import { Ask } from '../../parts/ask.tsx'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { modKey } from '../../parts/mod-key.ts'
import { attempt, Button } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { ProjectCrumb, useHere } from '../../shell/here.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { deleteAgent, putAgent, tryOut } from '../../state/agents.ts'
import { standings } from '../../state/standing.ts'
import { TrustNotice } from '../settings/trust.tsx'
import { useDraft } from './draft.ts'
import { Fields } from './fields.tsx'
import { Permits } from './permits.tsx'
import { PromptView } from './prompt.tsx'
import { Prose } from './prose.tsx'

/** One agent: what it is, what it may, and the prompt that comes of it. */
export function AgentPage({ agent }: { agent: Agent }): ReactNode {
  const { path } = useHere()
  const [, put] = useAddress()
  const go = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const draft = useDraft(path, agent)
  const { name, source, folder } = agent
  // What needs trust is not in the definition that we have: to save it would throw that away.
  const untrusted = agent.problems.some(({ needs }) => needs === 'trust')
  const builtIn = source === 'built-in'
  const fixed = builtIn || untrusted
  const problems = draft.dirty ? (draft.preview?.problems ?? []) : agent.problems

  const test = () =>
    attempt(async () => {
      const { id } = await tryOut(path, name)
      await go({ to: '/sessions/$session', params: { session: id } })
    })
  const adopt = () => attempt(() => putAgent(path, name, draft.value, 'project'))
  useKeys({ 'mod+s': () => void draft.save(), u: () => put({ agent: undefined }) })

  return (
    <Page
      title={name}
      className="agent-page"
      crumbs={
        <>
          <ProjectCrumb />
          <button type="button" className="crumb" onClick={() => put({ agent: undefined })}>
            Agents
          </button>
          <span className="sep">/</span>
        </>
      }
      aside={
        <>
          {problems.length > 0 && (
            <span className="state bad" title={problems.map(({ message }) => message).join('\n')}>
              <Glyph standing={standings.failed} />
              {problems.length === 1 ? '1 problem' : `${problems.length} problems`}
            </span>
          )}
          <Button
            look="ghost"
            icon="message"
            onClick={test}
            disabled={agent.broken || draft.dirty}
            title={draft.dirty ? 'It is tested as it was saved: save or undo first.' : undefined}
          >
            Test in a scratch chat
          </Button>
          {builtIn ? (
            <Button look="primary" onClick={adopt}>
              Make it yours
            </Button>
          ) : (
            <>
              <Button look="ghost" onClick={() => setDeleting(true)}>
                Delete
              </Button>
              {draft.dirty && <Button onClick={draft.undo}>Undo changes</Button>}
              <Button
                look="primary"
                keys={modKey('S')}
                disabled={!draft.dirty || draft.wrong !== undefined}
                onClick={draft.save}
              >
                Save
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="agent-cols">
        <div className="agent-col">
          {untrusted && <TrustNotice />}
          <p className="agent-where mute small">
            <Icon name={fixed ? 'lock' : 'file'} small />
            <span>
              {builtIn
                ? 'Built in. "Make it yours" copies it into the project; the copy counts then.'
                : untrusted
                  ? `${folder}: parts of it need your trust and are not shown. Decide about them before you change it.`
                  : agent.broken
                    ? `${folder}: it cannot be read as it is. What you save here replaces it.`
                    : folder}
            </span>
          </p>
          {problems
            .filter(({ field }) => field === undefined)
            .map(({ file, message }) => (
              <p key={file + message} className="wrong">
                {message} <span className="mute">{file}</span>
              </p>
            ))}
          <Fields draft={draft} problems={problems} fixed={fixed} />
          <Prose draft={draft} fixed={fixed} />
        </div>
        <Permits draft={draft} problems={problems} fixed={fixed} />
        <PromptView preview={draft.preview} model={draft.value.definition.model} />
      </div>
      {deleting && (
        <Ask
          title={`Delete ${name}?`}
          yes="Delete"
          close={() => setDeleting(false)}
          act={() =>
            attempt(async () => {
              await deleteAgent(path, name)
              put({ agent: undefined })
            })
          }
        >
          Its definition and its prose are removed from {folder}. Its sessions stay, and whatever else is in the folder.
        </Ask>
      )}
    </Page>
  )
}
