import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bin } from './desk.ts'
import type { World } from './world.ts'

/** Runs the real program against the world's server and gives what it printed. */
export const troupe = (world: World, ...words: string[]): Promise<string> => troupeWith(world, {}, ...words)

/** The same, with more variables in its environment. */
export async function troupeWith(world: World, more: Record<string, string>, ...words: string[]): Promise<string> {
  const running = begun(world, more, words)
  const { stdout } = await running.catch((failed: { message: string; stdout: string }) => {
    throw new Error(`${failed.message}\n${failed.stdout}`)
  })
  return stdout
}

/** The same with this text piped in; gives all that it printed, however it ended. */
export async function troupeHears(world: World, text: string, ...words: string[]): Promise<string> {
  const running = begun(world, {}, words)
  running.child.stdin?.end(text)
  const { stdout, stderr } = await running.catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout + stderr
}

/** The same, with how it ended. */
export async function troupeEnds(
  world: World,
  ...words: string[]
): Promise<{ code: number; out: string; err: string }> {
  try {
    const { stdout: out, stderr: err } = await begun(world, {}, words)
    return { code: 0, out, err }
  } catch (failed) {
    const { code, stdout: out, stderr: err } = failed as { code: number; stdout: string; stderr: string }
    return { code, out, err }
  }
}

function begun(world: World, more: Record<string, string>, words: readonly string[]) {
  const place = ['--home', world.home, '--project', world.project, '--no-start']
  const env = { PATH: process.env.PATH, HOME: world.home, ...more }
  return promisify(execFile)(process.execPath, [bin, ...words, ...place], { env })
}
