export { addNode, assignNode, bindNode, hasOpenChildren, moveUnbegun, nodeFollows } from './row.ts'
