export { answerCall } from './calls.ts'
export { type ClientTools, createClientTools, offererKey } from './registry.ts'
