import { spawn } from 'node:child_process'

/** Lets the person edit a file in their editor, which may be a command with options; resolves with its exit code. */
export function editWith(editor: string, file: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env })
  child.on('error', reject)
  child.on('close', (code) => resolve(code ?? 1))
  return promise
}
