import type { Tool } from '../core/core.ts'
import { agentList } from './agent-list.ts'
import { agentMessage } from './agent-message.ts'
import { agentSend } from './agent-send.ts'
import { agentSpawn } from './agent-spawn.ts'
import { askHuman } from './ask-human.ts'
import { bash } from './bash.ts'
import { editFile } from './edit-file.ts'
import { glob } from './glob.ts'
import { grep } from './grep.ts'
import { listDir } from './list-dir.ts'
import { logWrite } from './log-write.ts'
import { readFile } from './read-file.ts'
import { sessionList } from './session-list.ts'
import { sessionRead } from './session-read.ts'
import { sleep } from './sleep.ts'
import { switchTo } from './switch-to.ts'
import { taskStatus } from './task-status.ts'
import { taskWait } from './task-wait.ts'
import { todoRead } from './todo-read.ts'
import { todoWrite } from './todo-write.ts'
import { writeFile } from './write-file.ts'

export const builtInTools: Tool[] = [
  bash,
  readFile,
  writeFile,
  editFile,
  listDir,
  glob,
  grep,
  todoWrite,
  todoRead,
  sleep,
  logWrite,
  askHuman,
  agentList,
  agentMessage,
  agentSend,
  agentSpawn,
  taskStatus,
  taskWait,
  sessionRead,
  sessionList,
  switchTo,
]
