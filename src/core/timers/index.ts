export { claimDue } from './claim.ts'
export { ring } from './ring.ts'
