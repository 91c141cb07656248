export { answerCall } from './calls.ts'
export { type ClientTools, createClientTools, type Link, offererKey } from './registry.ts'
