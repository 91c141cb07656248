import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Welcome } from '../../../../src/contract/welcome.ts'
import { Glyph, Icon } from '../../parts/icon.tsx'
import { standings } from '../../state/standing.ts'

const NAMES = 4

/** Keys, models of this machine and command-line agents, by name, and the way to what is missing. */
export function Found({ found: { keys, localModels, programs, defaultModel, thinks } }: { found: Welcome }): ReactNode {
  const named = localModels.slice(0, NAMES).join(', ')
  return (
    <>
      <div className="card first-found">
        {keys.map(({ provider, variable }) => (
          <Line key={variable} is name={variable} says={`a key of ${provider}, from the environment`} />
        ))}
        {localModels.length > 0 && (
          <Line
            is
            name={`${localModels.length} local ${localModels.length === 1 ? 'model' : 'models'}`}
            says={localModels.length > NAMES ? `${named} and ${localModels.length - NAMES} more` : named}
          />
        )}
        {programs.map((program) => (
          <Line key={program} is name={program} says="a command-line agent on this machine" />
        ))}
        {keys.length === 0 && (
          <Line
            name="No key in the environment"
            says="the demo needs none"
            act={
              <Link className="btn sm" to="/models">
                Add a key
              </Link>
            }
          />
        )}
        {localModels.length === 0 && <Line name="No local model" says="none answered on this machine" />}
        <Line
          is={thinks}
          name={defaultModel}
          says={thinks ? 'used by agents that name no model' : 'a script: it plays the demo and cannot think'}
        />
      </div>
      <div className="home-head first-bring">
        <h2>Bring what you have</h2>
      </div>
      <div className="card first-found">
        <div className="f">
          <Icon name="user" />
          <span>
            Agents
            <span className="small mute">who may do what</span>
          </span>
          <Link className="btn sm" to="/agents">
            See them
          </Link>
        </div>
        <div className="f">
          <Icon name="phone" />
          <span>
            Your phone
            <span className="small mute">answer from anywhere in your network</span>
          </span>
          <Link className="btn sm" to="/devices">
            Pair
          </Link>
        </div>
      </div>
    </>
  )
}

function Line({
  is = false,
  name,
  says,
  act,
}: {
  is?: boolean
  name: string
  says: string
  act?: ReactNode
}): ReactNode {
  return (
    <div className="f">
      <Glyph standing={is ? { ...standings.done, word: 'ready' } : { ...standings.pending, word: 'not found' }} />
      <span>
        {name}
        <span className="small mute">{says}</span>
      </span>
      {act ?? (is && <span className="small mute">ready</span>)}
    </div>
  )
}
