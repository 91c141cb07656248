export { makeBackup } from './backups.ts'
export { startHousekeeping } from './housekeeping.ts'
export { gauge, type Meter, meters } from './meters.ts'
export { status } from './status.ts'
