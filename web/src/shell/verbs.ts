import type { Run } from '../../../src/contract/runs.ts'
import type { Session } from '../../../src/contract/sessions.ts'
import { server } from '../live/server.ts'
import type { IconName } from '../parts/icon.tsx'
import { attempt } from '../parts/small.tsx'
import { shell } from './shell-state.ts'
import { switchTheme } from './theme.ts'

/** Something that can be done right now, by its name. */
interface Verb {
  readonly name: string
  readonly icon: IconName
  /** Other words by which it is found. */
  readonly words?: string
  readonly keys?: string
  act(): unknown
}

/** What can be done with what is open, then what can be done anywhere. */
export function verbsAt(
  pathname: string,
  { sessions, runs }: { sessions: readonly Session[]; runs: readonly Run[] },
): readonly Verb[] {
  const [, noun, id] = pathname.split('/')
  const session = noun === 'sessions' ? sessions.find((one) => one.id === id) : undefined
  const run = noun === 'runs' ? runs.find((one) => one.id === id) : undefined
  return [...(session ? sessionVerbs(session) : []), ...(run ? runVerbs(run) : []), ...everywhere]
}

const everywhere: readonly Verb[] = [
  { name: 'New run', icon: 'plus', keys: 'c', act: () => shell.open('new-run') },
  { name: 'Switch theme', words: 'light dark', icon: 'sun', act: switchTheme },
  { name: 'Keys', words: 'help shortcuts', icon: 'list', keys: '?', act: () => shell.open('keys') },
]

function sessionVerbs({ id, status, pinnedAt }: Session): Verb[] {
  const params = { ref: id }
  const pinned = pinnedAt === undefined
  return [
    ...(status === 'running'
      ? [verb('Stop this turn', 'stop', () => server.call('POST /api/sessions/{ref}/cancel', { params }))]
      : []),
    status === 'paused'
      ? verb('Resume this session', 'play', () => server.call('POST /api/sessions/{ref}/resume', { params }))
      : verb('Pause this session', 'pause', () => server.call('POST /api/sessions/{ref}/pause', { params })),
    verb('Compact this conversation', 'down', () => server.call('POST /api/sessions/{ref}/compact', { params })),
    verb(pinned ? 'Pin this session' : 'Unpin this session', 'pin', () =>
      server.call('PATCH /api/sessions/{ref}', { params, body: { pinned } }),
    ),
  ]
}

function runVerbs({ id, status }: Run): Verb[] {
  if (status === 'finished' || status === 'failed' || status === 'stopped') return []
  const params = { id }
  return [
    status === 'paused'
      ? verb('Resume this run', 'play', () => server.call('POST /api/runs/{id}/resume', { params }))
      : verb('Pause this run', 'pause', () => server.call('POST /api/runs/{id}/pause', { params })),
  ]
}

const verb = (name: string, icon: IconName, act: () => Promise<unknown>): Verb => ({
  name,
  icon,
  act: () => attempt(act),
})
