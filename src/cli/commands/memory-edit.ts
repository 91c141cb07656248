import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Client } from '../../client/client.ts'
import type { MemoryPlace, MemoryText } from '../../contract/memory.ts'
import { editWith } from '../../lib/process/editor.ts'
import type { Cli } from '../cli.ts'
import { connect } from '../connect.ts'
import { exits, Failure, failureOf } from '../failure.ts'
import { paint, say, tell } from '../print.ts'

/** The file is edited as a copy, and put back with the hash it had: what changed meanwhile is not overwritten. */
export async function edit(cli: Cli, place: MemoryPlace, path: string): Promise<void> {
  const editor = cli.env.VISUAL || cli.env.EDITOR || 'vi'
  const client = await connect(cli)
  const before = await textOf(client, place, path)
  const folder = mkdtempSync(join(tmpdir(), 'troupe-memory-'))
  const copy = join(folder, basename(before?.path ?? path))
  writeFileSync(copy, before?.text ?? '', { mode: 0o600 })
  const code = await editWith(editor, copy, cli.env)
  if (code !== 0) throw new Failure(exits.failed, `The editor "${editor}" ended with ${code}; nothing was changed.`)
  const content = readFileSync(copy, 'utf8')
  if (content === (before?.text ?? '')) {
    rmSync(folder, { recursive: true, force: true })
    return tell(cli, { path, changed: false }, () => say('Nothing was changed.'))
  }
  try {
    const answer = await client.call('PUT /api/memory/file', {
      body: { ...place, path, content, mode: 'replace', ...(before && { hash: before.hash }) },
    })
    rmSync(folder, { recursive: true, force: true })
    tell(cli, answer, () => say(`${paint('green', '✓')} ${answer.path} has ${answer.bytes} bytes now.`))
  } catch (thrown) {
    const { message, exit, code: why } = failureOf(thrown)
    throw new Failure(exit, message, { code: why, hint: `Your text is kept in ${copy}.` })
  }
}

async function textOf(client: Client, place: MemoryPlace, path: string): Promise<MemoryText | undefined> {
  try {
    return await client.call('GET /api/memory/file', { query: { ...place, path } })
  } catch (thrown) {
    if (failureOf(thrown).code === 'memory.not_found') return undefined
    throw thrown
  }
}
