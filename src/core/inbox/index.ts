export { whoAskedWhom } from './asked-whom.ts'
export { addInbox, dismissInboxOf, notify } from './items.ts'
export { lineageOf } from './lineage.ts'
