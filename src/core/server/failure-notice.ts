import { findInbox } from '../../store/inbox.ts'
import { type Core, transact } from '../base/index.ts'
import { notifyProject } from '../inbox/index.ts'

const KEY = 'inbox_housekeeping'

/** One notice, however often it fails, until the person has put it away. */
export const tellOfFailure = (core: Core, error: unknown): Promise<void> =>
  transact(core, 'retention.failed', async (tx) => {
    const before = await findInbox(tx.db, KEY)
    const id = before === undefined || before.status === 'open' ? KEY : `${KEY}_${tx.now}`
    await notifyProject(tx, core.project.id, {
      id,
      about: { kind: 'server', id: core.host, label: 'housekeeping' },
      title: 'Old rows could not be archived',
      body: `${error instanceof Error ? error.message : String(error)}\nNothing was removed without its copy. It is tried again once a day and at each start; "troupe logs" has the details. Look whether the disk has space and the folder "archive" of the data folder can be written.`,
    })
  })
