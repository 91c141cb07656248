import { sha256 } from '../../lib/files/files.ts'
import { findGrouped, findInbox } from '../../store/inbox.ts'
import { addProject } from '../../store/projects.ts'
import { type Core, type Project, type Tx, transact } from '../base/index.ts'
import { trustLost } from '../config/index.ts'
import { dismissNotice, notifyProject } from './items.ts'

const GROUP = 'trust'
const SHOWN = 10

/** What acts in a project is not what the person trusted: they are told, once for each state of it, in one line. */
export async function tellTrustLost(core: Core, project: Project): Promise<void> {
  const lost = trustLost(core, project)
  if (lost === undefined) return
  const id = `inbox_${sha256(`trust ${project.id} ${lost.hash}`).slice(0, 24)}`
  if (await findInbox(core.store.read, id)) return
  const parts = lost.changed.map(({ file, what }) => `- ${file}: ${what}`)
  const more = parts.length > SHOWN ? [`- and ${parts.length - SHOWN} more`] : []
  await transact(core, 'trust.lost', async (tx) => {
    await addProject(tx.db, project, tx.now)
    await withdraw(tx, project, 'It changed once more.')
    await notifyProject(tx, project.id, {
      id,
      group: GROUP,
      title: 'The project is not trusted any more: what acts in it has changed',
      body: `In ${project.path}:\n${[...parts.slice(0, SHOWN), ...more].join('\n')}\nNothing of its own acts there until you decide: "troupe trust" shows it and asks.`,
    })
  })
}

/** The person has decided, so there is nothing left to tell. */
export const trustDecided = (core: Core, project: Project): Promise<void> =>
  transact(core, 'trust.decided', (tx) => withdraw(tx, project, 'The person has decided.'))

async function withdraw(tx: Tx, { id: project }: Project, reason: string): Promise<void> {
  const open = await findGrouped(tx.db, project, GROUP)
  if (open) await dismissNotice(tx, project, open.id, reason)
}
