export { ring } from './ring.ts'
