export {
  addNode,
  assignNode,
  beginPublishing,
  bindNode,
  checkpointNode,
  type Handover,
  hasOpenChildren,
  isPublished,
  moveUnbegun,
  nodeFollows,
  nodePublished,
  remindOfNode,
} from './row.ts'
