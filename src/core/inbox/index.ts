export { whoAskedWhom } from './asked-whom.ts'
export { addInbox, dismissInboxOf, dismissNotice, type NewItem, notify, notifyProject } from './items.ts'
export { lineageOf } from './lineage.ts'
export { endAbsence, presenceNow, setPresence } from './presence.ts'
