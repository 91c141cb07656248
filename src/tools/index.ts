import type { Tool } from '../core/base/index.ts'
import { agentList } from './agents/agent-list.ts'
import { agentMessage } from './agents/agent-message.ts'
import { agentSend } from './agents/agent-send.ts'
import { agentSpawn } from './agents/agent-spawn.ts'
import { askHuman } from './agents/ask-human.ts'
import { sessionList } from './agents/session-list.ts'
import { sessionRead } from './agents/session-read.ts'
import { sleep } from './agents/sleep.ts'
import { switchTo } from './agents/switch-to.ts'
import { taskCancel } from './agents/task-cancel.ts'
import { taskCreate } from './agents/task-create.ts'
import { taskList } from './agents/task-list.ts'
import { taskRespond } from './agents/task-respond.ts'
import { taskStatusTool } from './agents/task-status.ts'
import { taskSubscribe } from './agents/task-subscribe.ts'
import { taskWait } from './agents/task-wait.ts'
import { editFile } from './files/edit-file.ts'
import { glob } from './files/glob.ts'
import { grep } from './files/grep.ts'
import { listDir } from './files/list-dir.ts'
import { readFile } from './files/read-file.ts'
import { writeFile } from './files/write-file.ts'
import { memoryRead } from './memory/memory-read.ts'
import { memorySearch } from './memory/memory-search.ts'
import { memoryWrite } from './memory/memory-write.ts'
import { logWrite } from './notes/log-write.ts'
import { todoRead } from './notes/todo-read.ts'
import { todoWrite } from './notes/todo-write.ts'
import { toolSearch } from './search/tool-search.ts'
import { bash } from './shell/bash.ts'
import { cancelTrigger } from './triggers/cancel-trigger.ts'
import { listTriggersTool } from './triggers/list-triggers.ts'
import { schedule } from './triggers/schedule.ts'
import { webFetch } from './web/web-fetch.ts'
import { webSearch } from './web/web-search.ts'

export const builtInTools: Tool[] = [
  bash,
  readFile,
  writeFile,
  editFile,
  listDir,
  glob,
  grep,
  webFetch,
  webSearch,
  todoWrite,
  todoRead,
  memoryWrite,
  memoryRead,
  memorySearch,
  sleep,
  logWrite,
  askHuman,
  agentList,
  agentMessage,
  agentSend,
  agentSpawn,
  taskCreate,
  taskList,
  taskStatusTool,
  taskWait,
  taskRespond,
  taskCancel,
  taskSubscribe,
  sessionRead,
  sessionList,
  switchTo,
  schedule,
  listTriggersTool,
  cancelTrigger,
  toolSearch,
]
