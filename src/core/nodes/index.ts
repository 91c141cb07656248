export {
  addNode,
  assignNode,
  bindNode,
  changeNode,
  checkpointNode,
  hasOpenChildren,
  moveUnbegun,
  nodeFollows,
  retryNode,
} from './row.ts'
