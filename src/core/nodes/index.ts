export { addNode, assignNode, bindNode, checkpointNode, hasOpenChildren, moveUnbegun, nodeFollows } from './row.ts'
