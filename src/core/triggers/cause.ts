import type { Event } from '../../contract/events.ts'
import type { Db } from '../../store/tables.ts'
import { chainsOfMail, chainsOfSessions, chainsOfTasks, chainsOfTurns } from '../../store/trigger-looks.ts'
import type { Chain } from '../base/index.ts'

/** The chain that each event belongs to: that of its turn, its mail or its task, else of what its session does. */
export async function causesOf(db: Db, events: readonly Event[]): Promise<Map<Event, Chain>> {
  const ids = (field: string): string[] => [...new Set(events.flatMap(({ data }) => textIn(data, field)))]
  const turns = await chainsOfTurns(db, ids('turnId'))
  const mail = await chainsOfMail(db, ids('mailId'))
  const tasks = await chainsOfTasks(db, [
    ...new Set([...ids('taskId'), ...events.flatMap(({ taskId }) => taskId ?? [])]),
  ])
  const sessions = await chainsOfSessions(db, [...new Set(events.flatMap(({ sessionId }) => sessionId ?? []))])
  const found = new Map<Event, Chain>()
  for (const event of events) {
    const { data, taskId, sessionId } = event
    const chain =
      turns.get(String(data.turnId)) ??
      mail.get(String(data.mailId)) ??
      tasks.get(String(data.taskId ?? taskId)) ??
      sessions.get(String(sessionId))
    if (chain) found.set(event, chain)
  }
  return found
}

const textIn = (data: Event['data'], field: string): string[] =>
  typeof data[field] === 'string' ? [data[field] as string] : []
