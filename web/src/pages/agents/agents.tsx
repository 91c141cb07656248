import '../../styles/agents.css'
import { type ReactNode, useState } from 'react'
import type { Agent } from '../../../../src/contract/agents.ts'
import { Glyph } from '../../parts/icon.tsx'
import { Avatar, Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { ProjectCrumb, useHere } from '../../shell/here.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { useAgents } from '../../state/agents.ts'
import { askers, useInbox } from '../../state/inbox.ts'
import { isScratch, useSessions } from '../../state/sessions.ts'
import { mostUrgent, standingOfSession, standings } from '../../state/standing.ts'
import { TrustNotice } from '../settings/trust.tsx'
import { AgentPage } from './agent.tsx'
import { NewAgent } from './new-agent.tsx'

/** Who can work here; one of them opens with `?agent=`. */
export function Agents(): ReactNode {
  const [{ agent }] = useAddress()
  const { path } = useHere()
  const agents = useAgents(path)
  const found = agents.value?.find(({ name }) => name === agent)
  if (agent === undefined) return <AgentList />
  if (found !== undefined) return <AgentPage key={`${path} ${agent}`} agent={found} />
  return (
    <Page title={agent} crumbs={<ProjectCrumb />} className="pad">
      {agents.value === undefined ? <Skeleton /> : <Empty title={`There is no agent "${agent}" in this project.`} />}
    </Page>
  )
}

function AgentList(): ReactNode {
  const { path, info } = useHere()
  const { value, failure, refresh } = useAgents(path)
  const [making, setMaking] = useState(false)
  useKeys({ n: () => setMaking(true) })
  return (
    <Page
      title="Agents"
      crumbs={<ProjectCrumb />}
      aside={
        <Button icon="plus" keys="n" onClick={() => setMaking(true)}>
          New agent
        </Button>
      }
    >
      <TrustNotice />
      {failure && <Failed failure={failure} retry={refresh} />}
      {value === undefined && !failure && <Skeleton rows={6} />}
      {value?.length === 0 && <Empty title="Nobody can work here yet.">Make an agent: a name and a few words.</Empty>}
      {value && value.length > 0 && (
        <table className="table agents">
          <thead>
            <tr>
              <th className="agents-name">Agent</th>
              <th className="wide">What it is for</th>
              <th className="agents-model wide">Model</th>
              <th className="agents-where">From</th>
              <th className="agents-now">Sessions</th>
            </tr>
          </thead>
          <tbody>
            {value.map((agent) => (
              <Row key={agent.name} agent={agent} project={info?.id} />
            ))}
          </tbody>
        </table>
      )}
      {making && <NewAgent agents={value ?? []} close={() => setMaking(false)} />}
    </Page>
  )
}

function Row({ agent, project }: { agent: Agent; project: string | undefined }): ReactNode {
  const [, put] = useAddress()
  const asking = askers(useInbox().value)
  const sessions = (useSessions().value ?? []).filter(
    (one) =>
      one.agent === agent.name &&
      one.project === project &&
      one.closedAt === undefined &&
      !one.hidden &&
      !isScratch(one),
  )
  const urgent = mostUrgent(sessions.map((one) => standingOfSession(one, asking)))
  const { name, description, source, problems, broken, definition } = agent
  return (
    <tr>
      <td>
        <button type="button" className="cell open" onClick={() => put({ agent: name })}>
          <Avatar name={name} small />
          <span className="cut med">{name}</span>
          {problems.length > 0 && (
            <span className="state bad" title={problems.map(({ message }) => message).join('\n')}>
              <Glyph standing={broken ? standings.failed : standings.blocked} />
              {problems.length === 1 ? '1 problem' : `${problems.length} problems`}
            </span>
          )}
        </button>
      </td>
      <td className="soft wide" title={description}>
        {description}
      </td>
      <td className="mono wide">{definition.model ?? <span className="mute">the default</span>}</td>
      <td className="mute">{{ project: 'project', global: 'yours', 'built-in': 'built in' }[source]}</td>
      <td>
        {urgent === undefined ? (
          <span className="mute">none</span>
        ) : (
          <span className="cell">
            <Glyph standing={urgent} />
            <span className="num">{sessions.length}</span>
          </span>
        )}
      </td>
    </tr>
  )
}
