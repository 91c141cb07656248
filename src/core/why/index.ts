export { why } from './find.ts'
