export { makeBackup } from './backups.ts'
export { gauge, type Meter, meters } from './meters.ts'
export { status } from './status.ts'
