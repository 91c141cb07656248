import { useNavigate } from '@tanstack/react-router'
import type { Session } from '../../../../src/contract/sessions.ts'
import { attempt } from '../../parts/small.tsx'
import * as acts from '../../state/session-acts.ts'

/** Something to do with a session, in its menu and behind `/`. */
export interface SessionCommand {
  readonly name: string
  readonly label: string
  readonly about: string
  /** The question before it, where something is lost. */
  readonly asks?: string
  act(): Promise<unknown>
}

export function useSessionCommands(session: Session): readonly SessionCommand[] {
  const go = useNavigate()
  const { id, handle, status, pinnedAt } = session
  const to = (act: (ref: string) => Promise<unknown>) => () => attempt(() => act(id))
  const works = status === 'running' || status === 'waiting'
  const fork = async (ref: string) => {
    const made = await acts.forkAt(ref)
    await go({ to: '/sessions/$session', params: { session: made.id } })
  }
  const all: readonly (SessionCommand | false)[] = [
    works && { name: 'stop', label: 'Stop', about: 'ends this turn', act: to(acts.stopTurn) },
    status === 'paused'
      ? { name: 'resume', label: 'Resume', about: 'goes on after the pause', act: to(acts.resumeSession) }
      : works && { name: 'pause', label: 'Pause', about: 'no more steps until resumed', act: to(acts.pauseSession) },
    { name: 'fork', label: 'Fork', about: 'a copy with this history', act: to(fork) },
    {
      name: 'pin',
      label: pinnedAt ? 'Unpin' : 'Pin',
      about: 'on top of the sidebar',
      act: () => attempt(() => acts.changeSession(id, { pinned: !pinnedAt })),
    },
    { name: 'compact', label: 'Compact', about: 'sums up older messages', act: to(acts.compactSession) },
    {
      name: 'export',
      label: 'Export',
      about: 'the whole log as Markdown',
      act: () => attempt(() => acts.exportSession(id, handle)),
    },
    status === 'closed'
      ? { name: 'reopen', label: 'Reopen', about: 'takes messages again', act: to(acts.reopenSession) }
      : { name: 'close', label: 'Close', about: 'the next message reopens it', act: to(acts.closeSession) },
    {
      name: 'clear',
      label: 'Clear',
      about: 'removes the history',
      asks: 'The history is removed for good. Who it is and mail that nobody read stay.',
      act: to(acts.clearSession),
    },
  ]
  return all.filter((one) => one !== false)
}
