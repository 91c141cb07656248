export { why } from './find.ts'
export { top } from './top.ts'
